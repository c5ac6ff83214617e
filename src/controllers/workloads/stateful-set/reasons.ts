import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { objectAwaited, reason } from '../../../api/reason.ts'
import type { ReasonIn } from '../../../api/reason.ts'

export type StatefulSetReason = ReasonIn<typeof REASONS>

/** Why nothing happens to the pods of a StatefulSet. */
export const REASONS = {
  complete: reason('Complete', 'all pods are running and up to date'),
  setLeaving: reason('SetLeaving', 'the StatefulSet is being deleted'),
  onDelete: reason('WaitingForDeletion', 'pods of an older revision are replaced when they are deleted', {
    cure: 'Delete the pods that should get the new template.',
  }),
  podNotReady: (pod: Pod) => ofPod('PodNotReady', pod, 'is not running and ready yet'),
  podNotAvailable: (pod: Pod) => ofPod('PodNotAvailable', pod, 'has not been ready for minReadySeconds yet'),
  podLeaving: (pod: Pod) => ofPod('PodLeaving', pod, 'is being deleted'),
  podStorageDiffers: ({ metadata }: Pod) =>
    reason('PodStorageDiffers', `pod ${metadata.name} does not use the claims of the StatefulSet`, {
      waitsFor: objectAwaited(PODS, metadata),
      detail: { pod: metadata.name ?? '' },
      cure: 'Delete the pod: volumes of an existing pod cannot be changed.',
    }),
  claimLeaving: ({ metadata }: PersistentVolumeClaim, pod: string) =>
    reason('ClaimLeaving', `pvc ${metadata.name} is being deleted`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, metadata),
      detail: { pod },
    }),
  claimOfFormerPod: ({ metadata }: PersistentVolumeClaim) =>
    reason('ClaimOfFormerPod', `pvc ${metadata.name} belongs to a deleted pod and is going to be deleted`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, metadata),
    }),
}

const ofPod = <const Code extends string>(code: Code, { metadata }: Pod, what: string) =>
  reason(code, `pod ${metadata.name} ${what}`, { waitsFor: objectAwaited(PODS, metadata) })
