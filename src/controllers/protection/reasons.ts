import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

/** Why a claim, a volume or a VolumeAttributesClass keeps its protection. */
export const REASONS = defineReasons({
  Protected: 'the object is protected',
  NotHeld: because('nothing that we know of needs the object', {
    cure: 'Wait until the owners of the remaining finalizers have removed them.',
  }),
  UsedByPod: ({ metadata }: Pod) =>
    because(`pod ${metadata.name} is using the claim`, {
      ...awaiting(PODS, metadata),
      cure: 'Delete the pod, even if it has ended.',
    }),
  VolumeBound: (claim: { readonly namespace?: string; readonly name?: string }) =>
    because(`the volume is bound to claim ${claim.namespace}/${claim.name}`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, claim),
      cure: 'Delete the claim.',
    }),
  UsedByVolume: ({ metadata }: PersistentVolume) =>
    because(`volume ${metadata.name} has the attributes of this class`, {
      ...awaiting(PERSISTENT_VOLUMES, metadata),
      cure: 'Change the claim of the volume to another VolumeAttributesClass, or delete it.',
    }),
  UsedByClaim: ({ metadata }: PersistentVolumeClaim) =>
    because(`claim ${metadata.namespace}/${metadata.name} names the class`, {
      ...awaiting(PERSISTENT_VOLUME_CLAIMS, metadata),
      cure: 'Change the claim to another VolumeAttributesClass, or delete it.',
    }),
})

export type ProtectionReason = ReasonIn<typeof REASONS>
