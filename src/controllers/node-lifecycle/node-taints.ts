import { findCondition } from '../../api/conditions.ts'
import type { ConditionStatus } from '../../api/kinds/condition.ts'
import type { Node, Taint } from '../../api/kinds/node.ts'
import { NOT_READY, UNREACHABLE, UNSCHEDULABLE } from '../../api/node-taints.ts'
import { formatTimestamp } from '../../api/timestamps.ts'

/** How many nodes may get a taint that evicts their pods. */
export type EvictionLimit =
  /** No node of the cluster is ready: more likely the network or the control plane is broken, and nothing is evicted. */
  | { readonly kind: 'all-unready' }
  /** Too many nodes of a small zone are not ready. Taints are kept, and none is added. */
  | { readonly kind: 'paused' }
  /** The zone may get its next taint after this time. */
  | { readonly kind: 'limited'; readonly inMs: number }

/** Conditions that keep new pods off a node. */
const BY_CONDITION: readonly { readonly type: string; readonly status: ConditionStatus; readonly key: string }[] = [
  { type: 'Ready', status: 'False', key: NOT_READY },
  { type: 'Ready', status: 'Unknown', key: UNREACHABLE },
  { type: 'MemoryPressure', status: 'True', key: 'node.kubernetes.io/memory-pressure' },
  { type: 'DiskPressure', status: 'True', key: 'node.kubernetes.io/disk-pressure' },
  { type: 'NetworkUnavailable', status: 'True', key: 'node.kubernetes.io/network-unavailable' },
  { type: 'PIDPressure', status: 'True', key: 'node.kubernetes.io/pid-pressure' },
]
const BLOCKING_KEYS: ReadonlySet<string> = new Set([...BY_CONDITION.map(({ key }) => key), UNSCHEDULABLE])

export const isEvicting = ({ key, effect }: Taint): boolean =>
  effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE)

/** The taints that the node should have, if it does not have them. Taints of others stay as they are. */
export function changedTaints(
  node: Node,
  limit: EvictionLimit | undefined,
  nowMs: number,
): readonly Taint[] | undefined {
  const present = node.spec?.taints ?? []
  const blocking = blockingKeys(node)
  const evicting = evictingKey(node, limit)
  const isKept = (taint: Taint): boolean => {
    if (isEvicting(taint)) return taint.key === evicting
    return taint.effect !== 'NoSchedule' || !BLOCKING_KEYS.has(taint.key) || blocking.includes(taint.key)
  }
  const kept = present.filter(isKept)
  const isMissing = ({ key, effect }: Taint): boolean =>
    !kept.some((taint) => taint.key === key && taint.effect === effect)
  const timeAdded = formatTimestamp(nowMs)
  const wanted: Taint[] = [
    ...blocking.map((key) => ({ key, effect: 'NoSchedule', timeAdded }) as const),
    ...(evicting === undefined ? [] : [{ key: evicting, effect: 'NoExecute', timeAdded } as const]),
  ]
  const added = wanted.filter(isMissing)
  return added.length === 0 && kept.length === present.length ? undefined : [...kept, ...added]
}

function blockingKeys({ spec, status }: Node): readonly string[] {
  const byCondition = BY_CONDITION.filter(
    (each) => findCondition(status?.conditions, each.type)?.status === each.status,
  )
  return [...byCondition.map(({ key }) => key), ...(spec?.unschedulable ? [UNSCHEDULABLE] : [])]
}

/** The key of the one taint that evicts pods. */
function evictingKey({ spec, status }: Node, limit: EvictionLimit | undefined): string | undefined {
  const present = (spec?.taints ?? []).find(isEvicting)?.key
  const ready = findCondition(status?.conditions, 'Ready')?.status
  // The node has not reported anything yet: there is nothing to conclude from that.
  if (ready === undefined) return present
  if (ready === 'True' || limit?.kind === 'all-unready') return undefined
  // A node that is tainted already only changes the key.
  const mayTaint = present !== undefined || (limit?.kind === 'limited' && limit.inMs <= 0)
  return mayTaint ? (ready === 'False' ? NOT_READY : UNREACHABLE) : undefined
}
