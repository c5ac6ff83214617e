import { CSI_NODES } from '../api/kinds/csi-node.ts'
import type { Api } from '../api/api.ts'
import { NODES } from '../api/kinds/node.ts'
import { startDeadline } from '../base/abort.ts'
import { createInformers } from '../kube/cache/informers.ts'
import type { ClusterNode, MachineParts } from './cluster-options.ts'
import type { NodeDriver } from './start-drivers.ts'

// Longer than any registration takes; a driver that a node refuses must not keep the rest from being used.
const LIMIT_MS = 10_000
// Registration takes milliseconds: a driver that is still missing after this is checked for problems.
const PATIENCE_MS = 1000
const NODE_INFO_TIMEOUT_MS = 1000

export type WaitOptions = {
  readonly nodes: readonly ClusterNode[]
  readonly drivers: readonly NodeDriver[]
  readonly signal?: AbortSignal
}

export type UnregisteredDriver = NodeDriver & { readonly problem: string }

/** Waits until all nodes are ready and know their drivers, so that the first request finds a complete cluster. Returns the drivers that could not be registered. */
export async function untilRegistered(
  parts: MachineParts,
  api: Api,
  { nodes, drivers, signal }: WaitOptions,
): Promise<UnregisteredDriver[]> {
  const { clock, random, log } = parts
  const informers = createInformers({ api, clock, random, log })
  const [nodeCache, csiNodeCache] = [informers.get(NODES), informers.get(CSI_NODES)]
  const isReady = (name: string): boolean =>
    nodeCache.get(name)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  const knows = ({ node, driverName }: NodeDriver): boolean =>
    csiNodeCache.get(node)?.spec.drivers?.some(({ name }) => name === driverName) ?? false
  const failed = new Map<NodeDriver, string>()
  const isDone = (): boolean =>
    nodes.every(({ name }) => isReady(name)) && drivers.every((driver) => failed.has(driver) || knows(driver))
  using limit = startDeadline(clock, LIMIT_MS, () => new Error('too late'), signal)
  const { promise: waited, resolve: stopWaiting } = Promise.withResolvers<void>()
  const check = (): void => {
    if (isDone()) stopWaiting()
  }
  const askMissing = (): void => {
    for (const driver of drivers.filter((each) => !knows(each))) {
      void findProblem(parts, driver).then((problem) => {
        if (problem !== undefined) failed.set(driver, problem)
        check()
      })
    }
  }
  nodeCache.onChange(check)
  csiNodeCache.onChange(check)
  limit.signal.addEventListener('abort', () => stopWaiting(), { once: true })
  if (limit.signal.aborted) stopWaiting()
  const patience = clock.setTimer(PATIENCE_MS, askMissing)
  await waited
  patience.cancel()
  await informers.stop()
  signal?.throwIfAborted()
  return drivers
    .filter((driver) => !knows(driver))
    .map((driver) => ({ ...driver, problem: failed.get(driver) ?? `not registered within ${LIMIT_MS / 1000} s` }))
}

/** Why a node does not register a driver: registration calls NodeGetInfo, so its error is nearly always the reason. */
async function findProblem(
  { sockets }: Pick<MachineParts, 'sockets'>,
  { endpoint }: NodeDriver,
): Promise<string | undefined> {
  const { driver, connection } = sockets.connectDriver(endpoint)
  try {
    await driver.nodeGetInfo({}, { timeoutMs: NODE_INFO_TIMEOUT_MS })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    connection.close()
  }
}
