import { findCondition, hasCondition } from '../../../api/conditions.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import type { Job, JobCondition, JobStatus } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { formatTimestamp } from '../../../api/timestamps.ts'
import { isFinishedPod } from '../../../storage/pod-claims.ts'
import { isLeaving, isReadyPod } from '../pod-state.ts'
import { formatIndexes } from './completion-indexes.ts'
import { uncountedOf } from './count-pods.ts'
import type { PodCounts } from './count-pods.ts'
import type { JobOutcome } from './job-outcome.ts'

export type JobEvent = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }

export type StatusFacts = {
  readonly job: Job
  readonly members: readonly Pod[]
  readonly active: readonly Pod[]
  readonly counts: PodCounts
  readonly outcome: JobOutcome | undefined
  readonly nowMs: number
}

/** The status that follows from the pods, and what users are told about the change. */
export function jobStatus(facts: StatusFacts): { readonly status: JobStatus; readonly events: readonly JobEvent[] } {
  const { job, members, active, counts, outcome, nowMs } = facts
  const events: JobEvent[] = []
  const before = job.status ?? {}
  const now = formatTimestamp(nowMs)
  let conditions = before.conditions ?? []
  let startTime = before.startTime ?? (job.spec.suspend ? undefined : now)
  const add = (type: string, reason: string, message: string): void => {
    conditions = [...conditions, { type, status: 'True', lastProbeTime: now, lastTransitionTime: now, reason, message }]
  }
  const terminating = members.filter((pod) => isLeaving(pod) && !isFinishedPod(pod)).length
  let completion: Pick<JobStatus, 'completionTime'> = {}
  if (outcome) {
    const { type, reason, message } = outcome
    if (!findCondition(conditions, type)) add(type, reason, message)
    else if (active.length === 0 && terminating === 0 && counts.recorded.length === 0 && !hasUncounted(counts)) {
      const isComplete = type === 'SuccessCriteriaMet'
      add(isComplete ? 'Complete' : 'Failed', reason, message)
      if (isComplete) completion = { completionTime: now }
      if (isComplete && counts.succeeded > (job.spec.completions ?? counts.succeeded)) events.push(TOO_MANY)
      events.push(isComplete ? COMPLETED : { type: 'Warning', reason, message })
    }
  } else {
    const isSuspended = job.spec.suspend ?? false
    if (isSuspended !== hasCondition(conditions, 'Suspended')) {
      conditions = withSuspended(conditions, isSuspended, now)
      startTime = isSuspended ? undefined : now
      events.push(isSuspended ? SUSPENDED : RESUMED)
    }
  }
  const status = {
    conditions,
    ...(startTime === undefined ? {} : { startTime }),
    ...(before.completionTime === undefined ? completion : { completionTime: before.completionTime }),
    active: active.length,
    ready: active.filter(isReadyPod).length,
    terminating,
    succeeded: counts.succeeded,
    failed: counts.failed,
    ...(counts.indexes ? { completedIndexes: formatIndexes(counts.indexes) } : {}),
    ...(counts.byIndex ? { failedIndexes: formatIndexes(counts.byIndex.failed) } : {}),
    uncountedTerminatedPods: counts.uncounted,
  }
  return { status, events }
}

const COMPLETED: JobEvent = { type: 'Normal', reason: 'Completed', message: 'Job completed' }
const SUSPENDED: JobEvent = { type: 'Normal', reason: 'Suspended', message: 'Job suspended' }
const RESUMED: JobEvent = { type: 'Normal', reason: 'Resumed', message: 'Job resumed' }
const TOO_MANY: JobEvent = {
  type: 'Warning',
  reason: 'TooManySucceededPods',
  message: 'Too many succeeded pods running after completion count reached',
}

const hasUncounted = ({ uncounted }: PodCounts): boolean => uncounted.succeeded.length + uncounted.failed.length > 0

function withSuspended(conditions: readonly JobCondition[], isSuspended: boolean, now: string): JobCondition[] {
  const condition: JobCondition = {
    type: 'Suspended',
    status: isSuspended ? 'True' : 'False',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason: isSuspended ? 'JobSuspended' : 'JobResumed',
    message: isSuspended ? 'Job suspended' : 'Job resumed',
  }
  return [...conditions.filter(({ type }) => type !== 'Suspended'), condition]
}

/** Whether what has been decided and counted is written: only then may pods lose their finalizers. The numbers of running pods may be older. */
export function isRecorded(status: JobStatus, { status: stored = {} }: Job): boolean {
  const facts = ({
    conditions = [],
    succeeded = 0,
    failed = 0,
    completedIndexes = '',
    failedIndexes = '',
    ...rest
  }: JobStatus): unknown => [conditions, succeeded, failed, completedIndexes, failedIndexes, uncountedOf(rest)]
  return isEqualJson(facts(status), facts(stored))
}

export function isWritten(status: JobStatus, job: Job): boolean {
  const facts = ({
    active = 0,
    ready = 0,
    terminating = 0,
    startTime = '',
    completionTime = '',
  }: JobStatus): unknown => [active, ready, terminating, startTime, completionTime]
  return isRecorded(status, job) && isEqualJson(facts(status), facts(job.status ?? {}))
}

/** For a merge patch: fields that the status does not have are removed. */
export const statusPatch = (status: JobStatus): object => ({ startTime: null, ...status })
