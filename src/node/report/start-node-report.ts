import { ignoreAlreadyExists, ignoreNotFound } from '../../api/api-error.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import type { Lease } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { ownerReferenceTo } from '../../api/owner-references.ts'
import { formatMicroTimestamp } from '../../api/timestamps.ts'
import { after, defineController, DONE, on, onceSynced, startControllers } from '../../kube/controller/index.ts'
import type { ChangeSource, ControllerRole, FollowedKind, WaitStep } from '../../kube/controller/index.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import type { RunningRole } from '../../kube/process/running-role.ts'
import { nextReportStep } from './next-report-step.ts'
import type { ReportReason, ReportStep, ReportView } from './next-report-step.ts'
import type { NodeDescription } from './node-description.ts'

export type NodeReportConfig = {
  /** Between two renewals of the lease. */
  readonly leaseMs: number
  readonly leaseSeconds: number
  /** Between two writes of a status in which nothing has changed. */
  readonly heartbeatMs: number
}

export const DEFAULT_REPORT: NodeReportConfig = { leaseMs: 10_000, leaseSeconds: 40, heartbeatMs: 300_000 }

export type NodeReportParts = RoleWorld & {
  readonly nodeName: string
  readonly description: NodeDescription
  /** Why the node cannot run pods yet; undefined if it can. */
  obstacle(): ReportReason | undefined
  /** Reports changes of the obstacle. */
  readonly obstacleChanges: Pick<ChangeSource<void>, 'onChange'>
}

const BACKOFF = { initialMs: 200, maximumMs: 10_000 }

/** Creates the Node if there is none, and keeps reporting that it is alive. Does not wait for the API server. */
export function startNodeReport(
  config: NodeReportConfig,
  parts: NodeReportParts,
  signal: AbortSignal,
): Promise<RunningRole> {
  const { nodeName } = parts
  const log = parts.log.with({ part: 'report', node: nodeName })
  return startControllers({ ...parts, log }, signal, (role) => {
    const nodes = role.follow(NODES, { scope: { fieldSelector: `metadata.name=${nodeName}` }, isAwaited: false })
    const context = { ...parts, ...role, config, nodes }
    return [defineReport(context), defineLease(context)]
  })
}

type ReportContext = NodeReportParts &
  ControllerRole & { readonly config: NodeReportConfig; readonly nodes: FollowedKind<Node> }

/** When the status was last written, and of which Node. */
type Written = { readonly uid: string | undefined; readonly atMs: number }

function defineReport(context: ReportContext) {
  const { api, clock, config, nodes, nodeName, description, obstacle } = context
  return defineController<ReportView, ReportStep, Written>({
    name: 'node-report',
    queue: context.createQueue({ name: 'node-report', backoff: BACKOFF }),
    watch: [onceSynced(nodes, nodeName), on(nodes, ({ key }) => key), on(context.obstacleChanges, () => nodeName)],
    view: (name, { memory: written }) => {
      if (!nodes.isSynced()) return undefined
      const [{ heartbeatMs }, node] = [config, nodes.get(name)]
      const writtenAtMs = written && written.uid === node?.metadata.uid ? written.atMs : undefined
      return { name, node, nowMs: clock.nowMs(), description, heartbeatMs, obstacle: obstacle(), writtenAtMs }
    },
    decide: nextReportStep,
    perform: {
      create: async ({ node }, { log }) => {
        if (await api.create(NODES, node).catch(ignoreAlreadyExists)) log.info('node created', {})
        return DONE
      },
      mark: async ({ node: { metadata }, labels, annotations }, { key: name }) => {
        const value = { metadata: { uid: metadata.uid, labels, annotations } }
        await api.patch(NODES, { name }, { type: 'merge', value })
      },
      'write-status': async ({ node, status }, pass) => {
        const { uid } = node.metadata
        const value = { metadata: { uid }, status }
        await api.patch(NODES, { name: pass.key }, { type: 'strategic', value }, { subresource: 'status' })
        pass.memory = { uid, atMs: clock.nowMs() }
      },
    },
  })
}

/** Renews the node's lease, from the last answer of the server where that is known. */
function defineLease({ api, clock, createQueue, config, nodeName, nodes }: ReportContext) {
  const name = { namespace: 'kube-node-lease', name: nodeName }
  return defineController<Node | 'absent', { readonly kind: 'renew' } | WaitStep, Lease>({
    name: 'node-lease',
    queue: createQueue({ name: 'node-lease', backoff: BACKOFF }),
    watch: [onceSynced(nodes, nodeName)],
    view: () => nodes.get(nodeName) ?? 'absent',
    decide: () => ({ kind: 'renew' }),
    perform: {
      renew: async (_step, pass) => {
        const present = pass.memory ?? (await api.get(LEASES, name).catch(ignoreNotFound))
        // Unless the server answers, the next try has to read what is there.
        pass.memory = undefined
        const lease: Lease = {
          ...(present ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }),
          metadata: {
            ...(present?.metadata ?? name),
            ...(pass.view === 'absent' ? {} : { ownerReferences: [ownerReferenceTo(pass.view)] }),
          },
          spec: {
            ...present?.spec,
            holderIdentity: nodeName,
            leaseDurationSeconds: config.leaseSeconds,
            renewTime: formatMicroTimestamp(clock.nowMs()),
          },
        }
        pass.memory = await (present ? api.update(LEASES, lease) : api.create(LEASES, lease))
        return after(config.leaseMs)
      },
    },
  })
}
