import { findCondition } from '../../../api/conditions.ts'
import type { Job } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { findTimestamp } from '../../../api/timestamps.ts'
import { isLeaving } from '../pod-state.ts'

const FIRST_BACKOFF_MS = 10_000
const LONGEST_BACKOFF_MS = 600_000

/** Pods are replaced only once they have ended, not while they are being deleted. */
export const replacesOnlyEnded = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined

/** A pod that is being deleted counts as failed: it may never get the chance to end by itself. */
export function isFailedPod(job: Job, pod: Pod): boolean {
  const phase = pod.status?.phase ?? 'Pending'
  if (phase === 'Failed') return true
  return isLeaving(pod) && (replacesOnlyEnded(job) ? phase === 'Pending' : phase !== 'Succeeded')
}

/** How long the next pod waits: twice as long after each failure. */
export function untilRetryMs(failures: number, lastFailureMs: number, nowMs: number): number {
  return lastFailureMs + Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS) - nowMs
}

/** When the last container of a pod ended; otherwise the best guess. */
export function endedAtMs({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => findTimestamp(state?.terminated?.finishedAt))
  const last = ends.reduce(
    (one, other) => (one === undefined || other === undefined ? undefined : Math.max(one, other)),
    0,
  )
  if (last) return last
  const ready = findCondition(status?.conditions, 'Ready')
  const unreadyMs = ready?.status === 'False' ? findTimestamp(ready.lastTransitionTime) : undefined
  const deletedMs = findTimestamp(metadata.deletionTimestamp)
  const askedMs = deletedMs === undefined ? undefined : deletedMs - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
  return unreadyMs ?? askedMs ?? findTimestamp(metadata.creationTimestamp) ?? 0
}
