import type { Job } from '../../../api/kinds/job.ts'
import { defineReasons } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { findTimestamp } from '../../../api/timestamps.ts'
import { finishedCondition } from './job-outcome.ts'

export type TtlStep =
  | { readonly kind: 'wait'; readonly reason: ReasonIn<typeof REASONS>; readonly retryInMs?: number }
  | { readonly kind: 'delete'; readonly job: Job }

export const REASONS = defineReasons({
  Kept: 'the Job is not deleted automatically',
  NotFinished: 'the Job has not finished',
  JobLeaving: 'the Job is being deleted',
  NotExpired: (seconds: number) => `the Job is deleted in ${seconds}s`,
})

/** A Job that has finished is deleted after the seconds that it says. */
export function nextTtlStep({ job, nowMs }: { readonly job: Job; readonly nowMs: number }): TtlStep {
  const { ttlSecondsAfterFinished } = job.spec
  if (ttlSecondsAfterFinished === undefined) return { kind: 'wait', reason: REASONS.Kept }
  if (job.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.JobLeaving }
  const finishedMs = findTimestamp(finishedCondition(job)?.lastTransitionTime)
  if (finishedMs === undefined) return { kind: 'wait', reason: REASONS.NotFinished }
  const retryInMs = finishedMs + ttlSecondsAfterFinished * 1000 - nowMs
  if (retryInMs <= 0) return { kind: 'delete', job }
  return { kind: 'wait', reason: REASONS.NotExpired(Math.ceil(retryInMs / 1000)), retryInMs }
}
