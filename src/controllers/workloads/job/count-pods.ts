import { hasFinalizer } from '../../../api/finalizers.ts'
import type { Job, JobStatus } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { parseIndexes } from './completion-indexes.ts'
import { endedAtMs, isFailedPod } from './failed-pod.ts'
import { failuresByIndex } from './index-failures.ts'
import type { FailuresByIndex } from './index-failures.ts'
import { indexOf, TRACKING } from './job-pod.ts'
import { judgeFailure } from './pod-failure-policy.ts'

/** Failures since the last success: new pods wait longer after each. */
export type Backoff = { readonly failures: number; readonly lastFailureMs: number }

/**
 * How many pods have ended. A pod counts once: first its uid is recorded in the status, then it loses its finalizer, then the number grows and the uid is
 * dropped.
 */
export type PodCounts = {
  readonly succeeded: number
  readonly failed: number
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] }
  /** Of an Indexed job. */
  readonly indexes?: ReadonlySet<number>
  /** Of a job with a limit for each index. */
  readonly byIndex?: FailuresByIndex
  /** Pods that may lose their finalizer once the status has recorded them. */
  readonly recorded: readonly Pod[]
  readonly backoff: Backoff | undefined
}

// The status must not become too large.
const MOST_UNCOUNTED = 500

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed'

/** `outcome`: the job is ending; then every pod counts. */
export function countPods(
  job: Job,
  members: readonly Pod[],
  outcome: 'failure' | 'success' | undefined,
  backoff: Backoff | undefined,
): PodCounts {
  const { status = {}, spec } = job
  const completions = isIndexed(job) ? (spec.completions ?? 0) : undefined
  const tracked = members.filter((pod) => hasFinalizer(pod, TRACKING))
  const before = uncountedOf(status)
  const present = new Set(tracked.map(uidOf))
  const uncounted = {
    succeeded: before.succeeded.filter((uid) => present.has(uid)),
    failed: before.failed.filter((uid) => present.has(uid)),
  }
  const failed = (status.failed ?? 0) + before.failed.length - uncounted.failed.length
  const succeeded = (status.succeeded ?? 0) + before.succeeded.length - uncounted.succeeded.length
  const indexes = completions === undefined ? undefined : parseIndexes(status.completedIndexes, completions)
  const byIndex = failuresByIndex(job, members, tracked)
  const isEnding = outcome !== undefined || job.metadata.deletionTimestamp !== undefined
  const known = new Set([...uncounted.succeeded, ...uncounted.failed])
  const recorded: Pod[] = []
  const fresh: { readonly pod: Pod; readonly isFailed: boolean }[] = []
  for (const pod of tracked) {
    const hasSucceeded = pod.status?.phase === 'Succeeded'
    const isFailed = !hasSucceeded && (isFailedPod(job, pod) || outcome === 'failure')
    if (!hasSucceeded && !isFailed && !isEnding) continue
    const index = completions === undefined ? undefined : indexOf(pod, completions)
    if (index !== undefined && byIndex?.toReplace.get(index) === pod && !isEnding) continue
    const isKnown = known.has(uidOf(pod)) || (hasSucceeded && index !== undefined && indexes?.has(index))
    const isStrange = completions !== undefined && index === undefined
    const counts = !isKnown && !isStrange && (hasSucceeded || (isFailed && judgeFailure(job, pod).counts))
    // The others follow when these are counted.
    if (counts && fresh.length + known.size >= MOST_UNCOUNTED) continue
    recorded.push(pod)
    if (!counts) continue
    fresh.push({ pod, isFailed })
    if (hasSucceeded && index !== undefined) indexes?.add(index)
    else uncounted[hasSucceeded ? 'succeeded' : 'failed'].push(uidOf(pod))
  }
  return {
    succeeded: indexes ? indexes.size : succeeded,
    failed,
    uncounted,
    ...(indexes ? { indexes } : {}),
    ...(byIndex ? { byIndex } : {}),
    recorded,
    backoff: nextBackoff(backoff, fresh),
  }
}

export const uncountedOf = ({ uncountedTerminatedPods: { succeeded, failed } = {} }: JobStatus) => ({
  succeeded: succeeded ?? [],
  failed: failed ?? [],
})

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? ''

/** A success ends the count of failures before it. */
function nextBackoff(
  before: Backoff | undefined,
  ended: readonly { readonly pod: Pod; readonly isFailed: boolean }[],
): Backoff | undefined {
  const inOrder = ended.toSorted((one, other) => endedAtMs(one.pod) - endedAtMs(other.pod))
  let backoff = before
  for (const { pod, isFailed } of inOrder)
    backoff = isFailed ? { failures: (backoff?.failures ?? 0) + 1, lastFailureMs: endedAtMs(pod) } : undefined
  return backoff
}
