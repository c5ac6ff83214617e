import { isAlreadyExists, isConflict, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Reason } from '../../api/reason.ts'
import { formatMicroTimestamp } from '../../api/timestamps.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { createStops } from '../../base/stops.ts'
import { after, DONE, startController } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { Informers } from '../../kube/informers.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import { nextReportStep } from './next-report-step.ts'
import type { NodeDescription } from './node-description.ts'

export type NodeReportConfig = {
  /** Between two renewals of the lease. */
  readonly leaseMs: number
  readonly leaseSeconds: number
  /** Between two writes of a status in which nothing has changed. */
  readonly heartbeatMs: number
}

export const DEFAULT_REPORT: NodeReportConfig = { leaseMs: 10_000, leaseSeconds: 40, heartbeatMs: 300_000 }

export type NodeReportParts = {
  readonly api: Api
  readonly informers: Informers
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly nodeName: string
  readonly description: NodeDescription
  /** Why the node can't take pods yet; undefined when it can. */
  obstacle(): Reason | undefined
}

export interface RunningNodeReport {
  /** What stands in the way has changed. */
  touch(): void
  isIdle(): boolean
  stop(): Promise<void>
}

const MOST_STEPS = 5
const LEASE_NAMESPACE = 'kube-node-lease'

/** Makes the Node where there is none, and keeps saying that it is alive. */
export function startNodeReport(config: NodeReportConfig, parts: NodeReportParts): RunningNodeReport {
  const { api, clock, random, nodeName } = parts
  const log = parts.log.with({ part: 'report', node: nodeName })
  const { onStop, run } = createStops()
  const cache = parts.informers.get(NODES, { fieldSelector: `metadata.name=${nodeName}` })
  const nodes = createOwnWrites(cache)
  onStop(() => nodes.stop())
  const queue = createWorkQueue({ clock, random, backoff: { initialMs: 200, maximumMs: 10_000 } })
  let writtenAtMs: number | undefined
  let writtenUid: string | undefined

  const reconcileNode: Reconciler = async (_key, { signal }) => {
    if (!cache.isSynced()) return DONE
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const node = nodes.get(nodeName)
      const obstacle = parts.obstacle()
      if (writtenUid !== node?.metadata.uid) writtenAtMs = undefined
      const held = {
        nowMs: clock.nowMs(),
        description: parts.description,
        heartbeatMs: config.heartbeatMs,
        ...(obstacle ? { obstacle } : {}),
        ...(writtenAtMs === undefined ? {} : { writtenAtMs }),
      }
      const step = nextReportStep({ seen: { name: nodeName, ...(node ? { node } : {}) }, held })
      switch (step.kind) {
        case 'wait':
          return step.retryInMs === undefined ? DONE : after(step.retryInMs)
        case 'create':
          return await create(step.node, signal)
        case 'mark': {
          const value = {
            metadata: { uid: step.node.metadata.uid, labels: step.labels, annotations: step.annotations },
          }
          nodes.remember(
            await within(clock, signal, (until) =>
              api.patch(NODES, { name: nodeName }, { type: 'merge', value }, { signal: until }),
            ),
          )
          continue
        }
        case 'write-status': {
          const value = { metadata: { uid: step.node.metadata.uid }, status: step.status }
          nodes.remember(
            await within(clock, signal, (until) =>
              api.patch(
                NODES,
                { name: nodeName },
                { type: 'strategic', value },
                { subresource: 'status', signal: until },
              ),
            ),
          )
          writtenAtMs = clock.nowMs()
          writtenUid = step.node.metadata.uid
          continue
        }
        default:
          return unreachable(step)
      }
    }
    return after(100)
  }
  const create = async (node: Node, signal: AbortSignal) => {
    try {
      await within(clock, signal, (until) => api.create(NODES, node, { signal: until }))
      log.info('the node was made', {})
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    // Its coming brings us back.
    return DONE
  }

  let lease: Lease | undefined
  const reconcileLease: Reconciler = async (_key, { signal }) => {
    const node = nodes.get(nodeName)
    const spec = {
      holderIdentity: nodeName,
      leaseDurationSeconds: config.leaseSeconds,
      renewTime: formatMicroTimestamp(clock.nowMs()),
    }
    const owner = node?.metadata.uid
      ? { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid }] }
      : {}
    try {
      lease ??= await within(clock, signal, (until) =>
        api.get(LEASES, { namespace: LEASE_NAMESPACE, name: nodeName }, { signal: until }),
      )
      const { metadata } = lease
      const renewed: Lease = { ...lease, metadata: { ...metadata, ...owner }, spec: { ...lease.spec, ...spec } }
      lease = await within(clock, signal, (until) => api.update(LEASES, renewed, { signal: until }))
    } catch (error) {
      signal.throwIfAborted()
      lease = undefined
      if (isConflict(error)) return after(0)
      if (!isNotFound(error)) throw error
      const made: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: LEASE_NAMESPACE, name: nodeName, ...owner },
        spec,
      }
      lease = await within(clock, signal, (until) => api.create(LEASES, made, { signal: until }))
    }
    return after(config.leaseMs)
  }

  onStop(
    cache.onChange(({ before, after: now }) => {
      if (
        before?.metadata.uid !== now?.metadata.uid ||
        before?.metadata.resourceVersion !== now?.metadata.resourceVersion
      )
        queue.add('node')
    }),
  )
  const controller = startController({
    name: 'node-report',
    queue,
    log,
    reconcile: (key, context) => (key === 'node' ? reconcileNode(key, context) : reconcileLease(key, context)),
  })
  onStop(() => controller.stop())
  cache.synced().then(
    () => {
      queue.add('node')
      queue.add('lease')
    },
    () => {},
  )
  return { touch: () => queue.add('node'), isIdle: () => queue.depth() === 0, stop: run }
}
