import type { Job } from '../../../api/kinds/job.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { objectAwaited, reason } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'

export type JobReason = ReasonIn<typeof REASONS>

const END_IT = `kubectl patch pod NAME --subresource=status --type=merge -p '{"status":{"phase":"Succeeded"}}'`

/** Why nothing happens to a Job. */
export const REASONS = {
  finished: reason('Finished', 'the Job has finished'),
  leaving: reason('JobLeaving', 'the Job is being deleted'),
  suspended: reason('Suspended', 'Job suspended', { cure: 'Set spec.suspend to false.' }),
  managedByOther: ({ spec }: Job) =>
    reason('ManagedByOther', `the Job is managed by ${spec.managedBy}`, {
      waitsFor: { kind: 'actor', name: spec.managedBy ?? '' },
    }),
  unsupported: reason('BackoffLimitPerIndex', 'Holdfast does not support spec.backoffLimitPerIndex', {
    cure: 'Leave Jobs to kube-controller-manager (--controllers=*,-job), or use spec.backoffLimit.',
  }),
  backingOff: (seconds: number) => reason('BackingOff', `a pod has failed; the next one is created in ${seconds}s`),
  podsLeaving: ({ metadata }: Pod) =>
    reason('PodsLeaving', `pod ${metadata.name} is being deleted`, { waitsFor: objectAwaited(PODS, metadata) }),
  podsRunning: ({ metadata }: Pod) =>
    reason('PodsRunning', `pod ${metadata.name} has not finished`, { waitsFor: objectAwaited(PODS, metadata) }),
  podsNeverEnd: ({ metadata, spec }: Pod) =>
    reason(
      'NoContainers',
      `pod ${metadata.name} never finishes by itself: node ${spec.nodeName} is a Holdfast node and runs no containers`,
      { waitsFor: objectAwaited(PODS, metadata), cure: `To finish a pod, set its phase: ${END_IT}` },
    ),
  nothingWanted: reason('ParallelismZero', 'spec.parallelism is 0', { cure: 'Increase spec.parallelism.' }),
}
