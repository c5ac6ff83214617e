import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { because, defineReasons, objectAwaited } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'

const ofPod = ({ metadata }: Pod, what: string) =>
  because(`pod ${metadata.name} ${what}`, { waitsFor: objectAwaited(PODS, metadata) })

export type StatefulSetReason = ReasonIn<typeof REASONS>

/** Why nothing happens to the pods of a StatefulSet. */
export const REASONS = defineReasons({
  Complete: 'all pods are running and up to date',
  SetLeaving: 'the StatefulSet is being deleted',
  WaitingForDeletion: because('pods of an older revision are replaced when they are deleted', {
    cure: 'Delete the pods that should get the new template.',
  }),
  PodNotReady: (pod: Pod) => ofPod(pod, 'is not running and ready yet'),
  PodNotAvailable: (pod: Pod) => ofPod(pod, 'has not been ready for minReadySeconds yet'),
  PodLeaving: (pod: Pod) => ofPod(pod, 'is being deleted'),
  PodStorageDiffers: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} does not use the claims of the StatefulSet`, {
      waitsFor: objectAwaited(PODS, metadata),
      detail: { pod: metadata.name ?? '' },
      cure: 'Delete the pod: volumes of an existing pod cannot be changed.',
    }),
  ClaimLeaving: ({ metadata }: PersistentVolumeClaim, pod: string) =>
    because(`pvc ${metadata.name} is being deleted`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, metadata),
      detail: { pod },
    }),
  ClaimOfFormerPod: ({ metadata }: PersistentVolumeClaim) =>
    because(`pvc ${metadata.name} belongs to a deleted pod and is going to be deleted`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, metadata),
    }),
})
