import { findCondition, hasCondition } from '../../../api/conditions.ts'
import type { Job, JobCondition } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { findTimestamp } from '../../../api/timestamps.ts'
import { parseIndexes } from './completion-indexes.ts'
import type { PodCounts } from './count-pods.ts'
import { isFailedPod } from './failed-pod.ts'
import { judgeFailure } from './pod-failure-policy.ts'

/** How the job ends. The condition says so before its pods are removed; `Failed` or `Complete` follows when they are gone. */
export type JobOutcome = {
  readonly type: 'FailureTarget' | 'SuccessCriteriaMet'
  readonly reason: string
  readonly message: string
}

export type OutcomeFacts = {
  readonly job: Job
  readonly members: readonly Pod[]
  readonly active: number
  readonly counts: PodCounts
  readonly nowMs: number
}

/** What has been decided earlier holds. Of several reasons, failures come first. */
export function findOutcome(facts: OutcomeFacts): JobOutcome | undefined {
  const { conditions } = facts.job.status ?? {}
  for (const type of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const { reason = '', message = '' } = findCondition(conditions, type) ?? {}
    if (hasCondition(conditions, type)) return { type, reason, message }
  }
  return findFailure(facts) ?? findSuccess(facts)
}

export const totalSucceeded = ({ succeeded, uncounted }: PodCounts): number => succeeded + uncounted.succeeded.length

function findFailure({ job, members, counts, nowMs }: OutcomeFacts): JobOutcome | undefined {
  const fail = (reason: string, message: string): JobOutcome => ({ type: 'FailureTarget', reason, message })
  for (const pod of members) {
    const { failsJob } = isFailedPod(job, pod) ? judgeFailure(job, pod) : {}
    if (failsJob !== undefined) return fail('PodFailurePolicy', failsJob)
  }
  const { backoffLimit = 6 } = job.spec
  if (totalFailed(job, counts) > backoffLimit || isRestartedTooOften(job, members))
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  const leftMs = untilDeadlineMs(job, nowMs)
  if (leftMs !== undefined && leftMs <= 0)
    return fail('DeadlineExceeded', 'Job was active longer than specified deadline')
  const { maxFailedIndexes = Infinity, completions = 0 } = job.spec
  const failedIndexes = counts.byIndex?.failed.size ?? 0
  if (failedIndexes > maxFailedIndexes)
    return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  return failedIndexes > 0 && failedIndexes + totalSucceeded(counts) >= completions
    ? fail('FailedIndexes', 'Job has failed indexes')
    : undefined
}

/** Failed pods that wait for their replacement are not in the status yet. */
function totalFailed(job: Job, { failed, uncounted, byIndex }: PodCounts): number {
  const waiting = Array.from(byIndex?.toReplace.values() ?? []).filter((pod) => judgeFailure(job, pod).counts)
  return failed + uncounted.failed.length + waiting.length
}

/** Containers that are restarted in place count as failures of their pod. */
function isRestartedTooOften({ spec: { template, backoffLimit = 6 } }: Job, members: readonly Pod[]): boolean {
  if (template.spec.restartPolicy !== 'OnFailure') return false
  const running = members.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
  const containers = running.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ])
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0)
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

/** Undefined without a deadline, before the start, and while the job is suspended. */
export function untilDeadlineMs({ spec, status }: Job, nowMs: number): number | undefined {
  const startedMs = findTimestamp(status?.startTime)
  if (spec.activeDeadlineSeconds === undefined || startedMs === undefined || spec.suspend) return undefined
  return startedMs + spec.activeDeadlineSeconds * 1000 - nowMs
}

function findSuccess({ job, active, counts }: OutcomeFacts): JobOutcome | undefined {
  const rule = findSuccessRule(job, counts.indexes)
  if (rule !== undefined)
    return { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` }
  const isReached = totalSucceeded(counts) >= (job.spec.completions ?? 1)
  if (!isReached || active > 0) return undefined
  return {
    type: 'SuccessCriteriaMet',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  }
}

/** The place of the first rule of the success policy that the succeeded indexes meet. */
function findSuccessRule({ spec }: Job, indexes: ReadonlySet<number> | undefined): number | undefined {
  if (!indexes || indexes.size === 0) return undefined
  const place = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && indexes.size >= succeededCount
    const wanted = parseIndexes(succeededIndexes, spec.completions ?? 0)
    return wanted.size > 0 && wanted.intersection(indexes).size >= (succeededCount ?? wanted.size)
  })
  return place < 0 ? undefined : place
}

export const isFinishedJob = ({ status }: Pick<Job, 'status'>): boolean =>
  hasCondition(status?.conditions, 'Complete') || hasCondition(status?.conditions, 'Failed')

/** The condition with which the job ended. */
export const finishedCondition = ({ status }: Pick<Job, 'status'>): JobCondition | undefined =>
  (status?.conditions ?? []).find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')
