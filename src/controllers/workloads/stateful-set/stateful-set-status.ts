import type { Pod } from '../../../api/kinds/pod.ts'
import type { StatefulSet, StatefulSetStatus } from '../../../api/kinds/stateful-set.ts'
import { isAvailablePod, isLeaving, isReadyPod } from '../pod-state.ts'
import { REVISION_LABEL } from '../revisions.ts'

/** The status that follows from the pods. `currentRevision` becomes `updateRevision` once all pods are updated and ready. */
export function statusOf(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, nowMs }: { current: string; update: string; nowMs: number },
): StatefulSetStatus {
  const { replicas: wanted = 1, minReadySeconds = 0, updateStrategy } = set.spec
  const count = (isCounted: (pod: Pod) => boolean): number => pods.filter(isCounted).length
  const isOf = (revision: string) => (pod: Pod) => !isLeaving(pod) && pod.metadata.labels?.[REVISION_LABEL] === revision
  const replicas = pods.length
  const readyReplicas = count(isRunningAndReady)
  const updatedReplicas = count(isOf(update))
  const isUpdated =
    (updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate' &&
    [updatedReplicas, readyReplicas, replicas].every((number) => number === wanted)
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas,
    readyReplicas,
    availableReplicas: count((pod) => isRunningAndReady(pod) && isAvailablePod(pod, minReadySeconds, nowMs)),
    currentReplicas: isUpdated ? updatedReplicas : count(isOf(current)),
    updatedReplicas,
    currentRevision: isUpdated ? update : current,
    updateRevision: update,
    collisionCount: set.status?.collisionCount ?? 0,
  }
}

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isReadyPod(pod)

/** Counts that are 0 may be absent. */
export function isSameStatus(wanted: StatefulSetStatus, present: StatefulSetStatus | undefined): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const stored = present?.[name as keyof StatefulSetStatus]
    return value === (stored ?? (typeof value === 'number' ? 0 : ''))
  })
}
