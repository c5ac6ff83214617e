import { findCondition, hasCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'

/** The pod exists, is not being deleted, and has not finished. */
export const isActivePod = (pod: Pod): boolean => !isLeaving(pod) && !isFinishedPod(pod)

export const isLeaving = ({ metadata }: Pick<Pod, 'metadata'>): boolean => metadata.deletionTimestamp !== undefined

export const isReadyPod = ({ status }: Pod): boolean => hasCondition(status?.conditions, 'Ready')

/** How long until a ready pod has been ready for this time: 0 if it has, undefined if the pod is not ready. */
export function untilAvailableMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const ready = findCondition(pod.status?.conditions, 'Ready')
  if (ready?.status !== 'True') return undefined
  if (minReadySeconds === 0) return 0
  const sinceMs = findTimestamp(ready.lastTransitionTime)
  return sinceMs === undefined ? undefined : Math.max(0, sinceMs + minReadySeconds * 1000 - nowMs)
}

/** Whether the pod has been ready for at least this time. */
export const isAvailablePod = (pod: Pod, minReadySeconds: number, nowMs: number): boolean =>
  untilAvailableMs(pod, minReadySeconds, nowMs) === 0

/** When the next of these pods becomes available just by waiting; undefined if none does. */
export function nextAvailableInMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  const waits = pods.flatMap((pod) => untilAvailableMs(pod, minReadySeconds, nowMs) || [])
  return waits.length === 0 ? undefined : Math.min(...waits)
}
