import type { Job } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { isActivePod } from '../pod-state.ts'
import { parseIndexes } from './completion-indexes.ts'
import { endedAtMs, isFailedPod, untilRetryMs } from './failed-pod.ts'
import { indexOf } from './job-pod.ts'
import type { IndexFailures } from './job-pod.ts'
import { judgeFailure } from './pod-failure-policy.ts'

/** What has failed in a job with `backoffLimitPerIndex`, where each index has failures and a backoff of its own. */
export type FailuresByIndex = {
  /** Indexes with more failures than the limit, or that the pod failure policy has failed. They get no more pods. */
  readonly failed: ReadonlySet<number>
  /**
   * The last failed pod of each index that gets another pod. It keeps its finalizer until then: only its annotations say how often the index has failed.
   */
  readonly toReplace: ReadonlyMap<number, Pod>
}

const FAILURES = 'batch.kubernetes.io/job-index-failure-count'
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count'

/** `tracked` are the pods that have not been counted. Undefined for a job without a limit for each index. */
export function failuresByIndex(
  job: Job,
  members: readonly Pod[],
  tracked: readonly Pod[],
): FailuresByIndex | undefined {
  const { completions = 0, backoffLimitPerIndex, completionMode } = job.spec
  if (backoffLimitPerIndex === undefined || completionMode !== 'Indexed') return undefined
  const failed = parseIndexes(job.status?.failedIndexes, completions)
  const done = parseIndexes(job.status?.completedIndexes, completions)
  for (const pod of members.filter(isActivePod)) done.add(indexOf(pod, completions) ?? -1)
  const ended: { readonly index: number; readonly pod: Pod }[] = []
  for (const pod of tracked) {
    const index = indexOf(pod, completions)
    if (index === undefined) continue
    if (pod.status?.phase === 'Succeeded') done.add(index)
    if (!isFailedPod(job, pod)) continue
    const { counts, failsIndex = false } = judgeFailure(job, pod)
    if (failsIndex || (counts && countOf(pod, FAILURES) >= backoffLimitPerIndex)) failed.add(index)
    ended.push({ index, pod })
  }
  const toReplace = new Map<number, Pod>()
  for (const { index, pod } of ended)
    if (!done.has(index) && !failed.has(index) && isLater(pod, toReplace.get(index))) toReplace.set(index, pod)
  return { failed, toReplace }
}

/** How long the next pod of an index waits, after the pod that it replaces. */
export const untilIndexRetryMs = (replaced: Pod | undefined, nowMs: number): number =>
  replaced ? untilRetryMs(allFailures(replaced) + 1, endedAtMs(replaced), nowMs) : 0

/** What the next pod of an index says about the pods before it. */
export function nextIndexFailures(job: Job, replaced: Pod | undefined): IndexFailures {
  if (!replaced) return { [FAILURES]: '0' }
  const { counts } = judgeFailure(job, replaced)
  const ignored = countOf(replaced, IGNORED) + (counts ? 0 : 1)
  return {
    [FAILURES]: `${countOf(replaced, FAILURES) + (counts ? 1 : 0)}`,
    ...(ignored > 0 ? { [IGNORED]: `${ignored}` } : {}),
  }
}

const isLater = (pod: Pod, last: Pod | undefined): boolean =>
  !last || (allFailures(last) <= allFailures(pod) && endedAtMs(pod) >= endedAtMs(last))

const allFailures = (pod: Pod): number => countOf(pod, FAILURES) + countOf(pod, IGNORED)

/** A pod from before the limit was set, or whose annotation somebody has changed, has had no failures. */
function countOf({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}
