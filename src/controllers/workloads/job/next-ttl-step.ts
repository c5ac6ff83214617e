import type { Job } from '../../../api/kinds/job.ts'
import { reason } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { findTimestamp } from '../../../api/timestamps.ts'
import { finishedCondition } from './job-outcome.ts'

export type TtlStep =
  | { readonly kind: 'wait'; readonly reason: ReasonIn<typeof REASONS>; readonly retryInMs?: number }
  | { readonly kind: 'delete'; readonly job: Job }

export const REASONS = {
  kept: reason('Kept', 'the Job is not deleted automatically'),
  notFinished: reason('NotFinished', 'the Job has not finished'),
  leaving: reason('JobLeaving', 'the Job is being deleted'),
  notExpired: (seconds: number) => reason('NotExpired', `the Job is deleted in ${seconds}s`),
}

/** A Job that has finished is deleted after the seconds that it says. */
export function nextTtlStep({ job, nowMs }: { readonly job: Job; readonly nowMs: number }): TtlStep {
  const { ttlSecondsAfterFinished } = job.spec
  if (ttlSecondsAfterFinished === undefined) return { kind: 'wait', reason: REASONS.kept }
  if (job.metadata.deletionTimestamp !== undefined) return { kind: 'wait', reason: REASONS.leaving }
  const finishedMs = findTimestamp(finishedCondition(job)?.lastTransitionTime)
  if (finishedMs === undefined) return { kind: 'wait', reason: REASONS.notFinished }
  const retryInMs = finishedMs + ttlSecondsAfterFinished * 1000 - nowMs
  if (retryInMs <= 0) return { kind: 'delete', job }
  return { kind: 'wait', reason: REASONS.notExpired(Math.ceil(retryInMs / 1000)), retryInMs }
}
