import { findCondition, hasCondition } from '../../api/conditions.ts'
import type { Node, NodeCondition, Taint } from '../../api/kinds/node.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { NodeHealth } from './node-health.ts'
import { isEvicting, changedTaints } from './node-taints.ts'
import type { EvictionLimit } from './node-taints.ts'
import { REASONS } from './reasons.ts'
import type { NodeReason } from './reasons.ts'

export type NodeView = {
  readonly seen: {
    readonly node: Node
    /** Pods on the node; empty if the node is ready. */
    readonly pods: readonly Pod[]
  }
  readonly held: {
    readonly health: NodeHealth
    readonly nowMs: number
    /** How long a node may be silent, and a new node that has not reported anything. */
    readonly graceMs: number
    readonly startupGraceMs: number
    /** Absent while the node is ready. */
    readonly limit?: EvictionLimit | undefined
    /** UIDs of the pods that were marked since the node was last ready: a live node may mark them as ready again. */
    readonly marked: ReadonlySet<string>
  }
}

export type NodeStep =
  | { readonly kind: 'wait'; readonly reason: NodeReason; readonly retryInMs?: number }
  /** The node is silent. `wasReady`: tell the user. */
  | { readonly kind: 'write-conditions'; readonly conditions: readonly NodeCondition[]; readonly wasReady: boolean }
  /** `evicts`: the node gets a taint that evicts its pods, which counts against the limit of its zone. */
  | { readonly kind: 'write-taints'; readonly taints: readonly Taint[]; readonly evicts: boolean }
  | { readonly kind: 'mark-pods'; readonly pods: readonly Pod[] }

/** What a node reports; the network condition belongs to another controller. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** The next step for a node: its conditions if it is silent, the taints that follow from them, then the readiness of its pods. */
export function nextNodeStep({ seen: { node, pods }, held }: NodeView): NodeStep {
  const { health, nowMs, limit } = held
  const ready = findCondition(node.status?.conditions, 'Ready')
  const untilSilentMs = health.heardAtMs + (ready ? held.graceMs : held.startupGraceMs) - nowMs
  const isSilent = untilSilentMs < 0
  if (isSilent && REPORTED.some((type) => !hasCondition(node.status?.conditions, type, 'Unknown')))
    return { kind: 'write-conditions', conditions: unknownConditions(node, nowMs), wasReady: ready?.status === 'True' }
  const isTainted = (node.spec?.taints ?? []).some(isEvicting)
  const taints = changedTaints(node, limit, nowMs)
  if (taints) return { kind: 'write-taints', taints, evicts: taints.some(isEvicting) && !isTainted }
  const isUnready = ready !== undefined && ready.status !== 'True'
  const unmarked = isUnready ? pods.filter((pod) => isUnmarked(pod, held.marked)) : []
  if (unmarked.length > 0) return { kind: 'mark-pods', pods: unmarked }
  if (isSilent) return waitForNode(node, limit, isTainted)
  const wait = isUnready ? waitForNode(node, limit, isTainted) : ({ kind: 'wait', reason: REASONS.Healthy } as const)
  // One millisecond later, the time is over.
  const retryInMs = Math.min(untilSilentMs + 1, wait.retryInMs ?? Number.POSITIVE_INFINITY)
  return { ...wait, retryInMs }
}

function unknownConditions({ metadata, status = {} }: Node, nowMs: number): readonly NodeCondition[] {
  const lastTransitionTime = formatTimestamp(nowMs)
  const silent = (condition: NodeCondition): NodeCondition =>
    !REPORTED.includes(condition.type) || condition.status === 'Unknown'
      ? condition
      : {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime,
        }
  const missing = REPORTED.filter((type) => !findCondition(status.conditions, type))
  const neverPosted = (type: string): NodeCondition => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: metadata.creationTimestamp ?? null,
    lastTransitionTime,
  })
  return [...(status.conditions ?? []).map(silent), ...missing.map(neverPosted)]
}

function isUnmarked({ metadata, status }: Pod, marked: ReadonlySet<string>): boolean {
  const ready = findCondition<PodCondition>(status?.conditions, 'Ready')
  return ready !== undefined && ready.status !== 'False' && !marked.has(metadata.uid ?? '')
}

type NodeWait = Extract<NodeStep, { kind: 'wait' }>

function waitForNode({ metadata }: Node, limit: EvictionLimit | undefined, isTainted: boolean): NodeWait {
  if (isTainted || !limit) return { kind: 'wait', reason: REASONS.NodeNotReady(metadata) }
  if (limit.kind === 'limited')
    return { kind: 'wait', reason: REASONS.EvictionLimited(metadata), retryInMs: limit.inMs }
  return {
    kind: 'wait',
    reason: limit.kind === 'paused' ? REASONS.EvictionPaused(metadata) : REASONS.AllNodesNotReady(metadata),
  }
}
