import { JOBS } from '../../../api/kinds/job.ts'
import type { Job } from '../../../api/kinds/job.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { OwnerReference } from '../../../api/object.ts'
import { defineReasons } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'
import { apiVersionOf } from '../../../api/resource-type.ts'
import { isFinishedJob } from './job-outcome.ts'

export type OrphanView = {
  readonly seen: {
    /** A pod with the finalizer of Jobs. */
    readonly pod: Pod
    readonly controller: OwnerReference | undefined
    /** The Job with the name of the controller. */
    readonly job: Job | undefined
  }
}

export type OrphanStep =
  | { readonly kind: 'wait'; readonly reason: ReasonIn<typeof REASONS> }
  | { readonly kind: 'release'; readonly pod: Pod }

export const REASONS = defineReasons({
  Tracked: 'the Job of the pod counts it',
  NotOfJob: 'the controller of the pod is no Job',
})

/** Whether a pod still needs the finalizer: not if its Job is gone or has finished. */
export function nextOrphanStep({ seen: { pod, controller, job } }: OrphanView): OrphanStep {
  if (controller && (controller.kind !== JOBS.kind || controller.apiVersion !== apiVersionOf(JOBS)))
    return { kind: 'wait', reason: REASONS.NotOfJob }
  const isOwn = job !== undefined && job.metadata.uid === controller?.uid
  if (isOwn && (!isFinishedJob(job) || job.spec.managedBy !== undefined))
    return { kind: 'wait', reason: REASONS.Tracked }
  return { kind: 'release', pod }
}
