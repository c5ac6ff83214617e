import { findCondition } from '../../../api/conditions.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { findTimestamp } from '../../../api/timestamps.ts'
import { isReadyPod } from '../pod-state.ts'

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const PHASES = ['Pending', 'Unknown', 'Running']

/**
 * The pods that are missed least: those that do not run yet come first, then those with a lower deletion cost, those that share a node with most
 * others, those that became ready or were created last. Uids decide between equals, so that a repeated decision chooses the same pods.
 */
export function choosePodsToDelete(pods: readonly Pod[], count: number): readonly Pod[] {
  const onNode = new Map<string, number>()
  for (const { spec } of pods) if (spec.nodeName) onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1)
  const ranked = pods.map((pod) => ({ pod, rank: rankOf(pod, onNode) }))
  return ranked
    .sort((one, other) => compareRanks(one.rank, other.rank) || compareUids(one.pod, other.pod))
    .slice(0, count)
    .map(({ pod }) => pod)
}

/** In the order in which pods are compared; the lower comes first. */
function rankOf(pod: Pod, onNode: ReadonlyMap<string, number>): readonly number[] {
  const { nodeName } = pod.spec
  const isReady = isReadyPod(pod)
  const readySinceMs = findTimestamp(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime) ?? Infinity
  const restarts = Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0))
  return [
    nodeName ? 1 : 0,
    PHASES.indexOf(pod.status?.phase ?? 'Pending'),
    isReady ? 1 : 0,
    Number(pod.metadata.annotations?.[DELETION_COST] ?? 0) || 0,
    -(onNode.get(nodeName ?? '') ?? 0),
    isReady ? -readySinceMs : 0,
    -restarts,
    -(findTimestamp(pod.metadata.creationTimestamp) ?? Infinity),
  ]
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, place) => value !== other[place])
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0)
}

const compareUids = (one: Pod, other: Pod): number => ((one.metadata.uid ?? '') < (other.metadata.uid ?? '') ? -1 : 1)
