import type { Job } from '../../../api/kinds/job.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { because, defineReasons, objectAwaited } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'

export type JobReason = ReasonIn<typeof REASONS>

const END_IT = `kubectl patch pod NAME --subresource=status --type=merge -p '{"status":{"phase":"Succeeded"}}'`

/** Why nothing happens to a Job. */
export const REASONS = defineReasons({
  Finished: 'the Job has finished',
  JobLeaving: 'the Job is being deleted',
  Suspended: because('Job suspended', { cure: 'Set spec.suspend to false.' }),
  ManagedByOther: ({ spec }: Job) =>
    because(`the Job is managed by ${spec.managedBy}`, {
      waitsFor: { kind: 'actor', name: spec.managedBy ?? '' },
    }),
  BackingOff: (seconds: number) => `a pod has failed; the next one is created in ${seconds}s`,
  PodsLeaving: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} is being deleted`, { waitsFor: objectAwaited(PODS, metadata) }),
  PodsRunning: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} has not finished`, { waitsFor: objectAwaited(PODS, metadata) }),
  NoContainers: ({ metadata, spec }: Pod) =>
    because(
      `pod ${metadata.name} never finishes by itself: node ${spec.nodeName} is a Holdfast node and runs no containers`,
      { waitsFor: objectAwaited(PODS, metadata), cure: `To finish a pod, set its phase: ${END_IT}` },
    ),
  ParallelismZero: because('spec.parallelism is 0', { cure: 'Increase spec.parallelism.' }),
})
