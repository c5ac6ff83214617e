import type { Clock } from '../base/clock.ts'
import {
  ControllerServiceCapability_RPC_Type,
  GroupControllerServiceCapability_RPC_Type,
  NodeServiceCapability_RPC_Type,
} from '../csi/generated/csi/v1/csi.ts'
import type { CallObserver } from '../csi/index.ts'
import type { CallInfo } from './protocol.ts'

/** The CSI calls of this process, as far as they are recent. */
export interface CallLog {
  /** `by` is the caller: `sidecars`, `node-1`. */
  observe(by: string, driver: string): CallObserver
  /** Calls for a volume, newest first. CreateVolume is known by the name of the volume, all others by its handle. */
  callsFor(volumeName: string, volumeHandle: string | undefined): readonly CallInfo[]
  /** Of the recent calls to this driver; undefined if there are none. */
  summaryOf(driver: string): CallSummary | undefined
  /** The same for each method, those with most calls first. */
  summariesOf(driver: string): ReadonlyMap<string, CallSummary>
  /** The latest calls to a driver, newest first. */
  callsTo(driver: string): readonly CallInfo[]
  /** What the driver announced: `CREATE_DELETE_VOLUME`. Empty if it was not asked. */
  capabilitiesOf(driver: string): readonly string[]
  onCall(listener: (driver: string) => void): void
}

export type CallSummary = {
  readonly count: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
}

// Enough for the recent life of a few thousand volumes.
const MOST_CALLS = 20_000
const MOST_LISTED = 50

type LoggedCall = { readonly driver: string; readonly ids: readonly string[]; readonly call: CallInfo }

/** `clock` is the one that callers measure with. */
export function createCallLog(clock: Clock): CallLog {
  const calls: LoggedCall[] = []
  const listeners: ((driver: string) => void)[] = []
  const capabilities = new Map<string, readonly string[]>()
  const observe =
    (by: string, driver: string): CallObserver =>
    ({ rpc, request, response, code, error, tookMs }) => {
      // Empty for probes and questions about capabilities.
      const ids = volumeIdsOf(request, response)
      calls.push({
        driver,
        ids,
        call: {
          method: rpc.name,
          by,
          startMs: clock.nowMs() - tookMs,
          tookMs,
          code: code ?? 'none',
          ...(error ? { error: error.message } : {}),
        },
      })
      if (calls.length > 2 * MOST_CALLS) calls.splice(0, MOST_CALLS)
      const announced = capabilitiesIn(rpc.name, response)
      if (announced) capabilities.set(`${driver} ${rpc.name}`, announced)
      for (const listener of listeners) listener(driver)
    }
  const callsFor = (volumeName: string, volumeHandle: string | undefined): CallInfo[] =>
    calls
      .filter(({ ids }) => ids.includes(volumeName) || (volumeHandle !== undefined && ids.includes(volumeHandle)))
      .map(({ call }) => call)
      .reverse()
  const summaryOf = (name: string): CallSummary | undefined =>
    summarize(calls.filter(({ driver }) => driver === name).map(({ call }) => call))
  const callsTo = (name: string): CallInfo[] =>
    calls
      .filter(({ driver }) => driver === name)
      .slice(-MOST_LISTED)
      .map(({ call }) => call)
      .reverse()
  const summariesOf = (name: string): Map<string, CallSummary> => {
    const byMethod = Object.groupBy(
      calls.filter(({ driver }) => driver === name).map(({ call }) => call),
      ({ method }) => method,
    )
    const summaries = Object.entries(byMethod).flatMap(([method, made = []]): [string, CallSummary][] => {
      const summary = summarize(made)
      return summary ? [[method, summary]] : []
    })
    return new Map(summaries.sort(([, one], [, other]) => other.count - one.count))
  }
  const capabilitiesOf = (name: string): string[] => [
    ...new Set([...capabilities].flatMap(([key, names]) => (key.startsWith(`${name} `) ? names : []))),
  ]
  return {
    observe,
    callsFor,
    callsTo,
    summaryOf,
    summariesOf,
    capabilitiesOf,
    onCall: (listener) => void listeners.push(listener),
  }
}

/** The names and handles that a call is about. */
function volumeIdsOf(request: unknown, response: unknown): readonly string[] {
  const { name, volumeId, sourceVolumeId } = request as Partial<Record<string, unknown>>
  const made = (response as { volume?: { volumeId?: unknown } } | undefined)?.volume?.volumeId
  return [name, volumeId, sourceVolumeId, made].filter((id) => typeof id === 'string' && id !== '') as string[]
}

type RpcCapability = { readonly type?: { readonly $case: string; readonly value: { readonly type?: number } } }

/** The names of the capabilities in the answer to one of the three calls that ask for them. */
function capabilitiesIn(method: string, response: unknown): readonly string[] | undefined {
  const names = CAPABILITY_NAMES[method]
  if (!names || response === undefined) return undefined
  const { capabilities = [] } = response as { readonly capabilities?: readonly RpcCapability[] }
  return capabilities.flatMap(({ type }) => {
    const name = Object.entries(names).find(([, number]) => type?.$case === 'rpc' && number === type.value.type)?.[0]
    return name === undefined ? [] : [name]
  })
}

const CAPABILITY_NAMES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ControllerGetCapabilities: ControllerServiceCapability_RPC_Type,
  GroupControllerGetCapabilities: GroupControllerServiceCapability_RPC_Type,
  NodeGetCapabilities: NodeServiceCapability_RPC_Type,
}

function summarize(calls: readonly CallInfo[]): CallSummary | undefined {
  const times = calls.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
  const failed = calls.filter(({ code }) => code !== 'OK').length
  return times.length === 0 ? undefined : { count: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }
}
