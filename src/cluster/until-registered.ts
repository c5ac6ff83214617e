import { CSI_NODES } from '../api/kinds/csi-node.ts'
import type { Api } from '../api/api.ts'
import { NODES } from '../api/kinds/node.ts'
import { startDeadline } from '../base/abort.ts'
import { createInformers } from '../kube/informers.ts'
import type { ClusterNode, ClusterParts } from './cluster-options.ts'
import type { NodeDriver } from './start-drivers.ts'

// Longer than any registration takes; a driver that a node refuses must not keep the rest from being used.
const LIMIT_MS = 10_000

export type WaitOptions = { readonly nodes: readonly ClusterNode[]; readonly drivers: readonly NodeDriver[]; readonly signal?: AbortSignal }

/** Waits until all nodes are ready and know their drivers, so that what is asked of the cluster first sees all of it. */
export async function untilRegistered({ clock, random, log }: ClusterParts, api: Api, { nodes, drivers, signal }: WaitOptions): Promise<void> {
  const informers = createInformers({ api, clock, random, log })
  const [nodeCache, csiNodeCache] = [informers.get(NODES), informers.get(CSI_NODES)]
  const isReady = (name: string): boolean => nodeCache.get(name)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  const knows = ({ node, driverName }: NodeDriver): boolean => csiNodeCache.get(node)?.spec.drivers?.some(({ name }) => name === driverName) ?? false
  const isDone = (): boolean => nodes.every(({ name }) => isReady(name)) && drivers.every(knows)
  using limit = startDeadline(clock, LIMIT_MS, () => new Error('too late'), signal)
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (isDone()) resolve()
    }
    nodeCache.onChange(check)
    csiNodeCache.onChange(check)
    limit.signal.addEventListener('abort', () => resolve(), { once: true })
    if (limit.signal.aborted) resolve()
  })
  await informers.stop()
  signal?.throwIfAborted()
  for (const driver of drivers.filter((each) => !knows(each))) log.warn('a driver is not registered yet', { driver: driver.driverName, node: driver.node })
}
