/** What is known of a driver and its calls. */
export type DriverCondition = {
  readonly endpoint: string
  readonly process:
    | { readonly kind: 'running' }
    | { readonly kind: 'ended'; readonly how: string; readonly restartInMs: number }
  readonly answer: DriverAnswer
  /** The name under which the cluster knows the driver; undefined before its first start. */
  readonly knownName?: string
  readonly calls: CallTrouble
  /** What the node agent reports about a publish that mounted nothing. */
  readonly mountedNothing?: string
}

export type DriverAnswer =
  | { readonly kind: 'silent'; readonly detail: string }
  | { readonly kind: 'no-driver'; readonly detail: string }
  | { readonly kind: 'invalid-name'; readonly detail: string }
  | { readonly kind: 'not-ready'; readonly name: string; readonly detail: string }
  | { readonly kind: 'ready'; readonly name: string; readonly missing: readonly string[] }

export type CallTrouble = {
  /** The call that has been running for the longest time. */
  readonly running?: { readonly call: string; readonly forMs: number }
  /** The last call that failed, and has not succeeded since. */
  readonly failing?: { readonly call: string; readonly error: string }
}

const SLOW_MS = 40_000
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`

/** In one sentence what is wrong with a driver; undefined if nothing is. The first problem that explains the others comes first. */
export function diagnoseDriver(condition: DriverCondition): string | undefined {
  const { endpoint, process, answer, knownName, calls, mountedNothing } = condition
  if (process.kind === 'ended')
    return `The driver has ended (${process.how}) and is started again in ${seconds(process.restartInMs)}: see its last lines above.`
  switch (answer.kind) {
    case 'silent':
      return `The driver is running but not listening on ${endpoint} (${answer.detail}): start it with the value of $CSI_ENDPOINT.`
    case 'no-driver':
      return `The program on ${endpoint} is a gRPC server, but not a CSI driver (${answer.detail}): it has to serve csi.v1.Identity.`
    case 'invalid-name':
      return `The driver has an invalid name: ${answer.detail}.`
    case 'not-ready':
      return `Driver ${answer.name} is not ready: ${answer.detail}.`
    case 'ready':
      break
  }
  if (knownName !== undefined && answer.name !== knownName)
    return `The driver now has the name ${answer.name}, but this cluster knows it as ${knownName}: use the old name, or restart holdfast up.`
  if (calls.running && calls.running.forMs >= SLOW_MS)
    return `${calls.running.call} has been running for ${seconds(calls.running.forMs)} without an answer.`
  if (mountedNothing !== undefined) return mountedNothing
  if (calls.failing) return `${calls.failing.call} fails: ${calls.failing.error}`
  const [missing] = answer.missing
  return missing === undefined ? undefined : `Driver ${answer.name} ${missing}.`
}
