import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

/** Why a claim, a volume or a VolumeAttributesClass keeps its protection. */
export const REASONS = {
  protected: reason('Protected', 'the object is protected'),
  notHeld: reason('NotHeld', 'nothing that we know of needs the object', {
    cure: 'Wait until the owners of the remaining finalizers have removed them.',
  }),
  usedByPod: ({ metadata }: Pod) =>
    reason('UsedByPod', `pod ${metadata.name} is using the claim`, {
      waitsFor: objectAwaited(PODS, metadata),
      cure: 'Delete the pod, even if it has ended.',
    }),
  volumeBound: (claim: { readonly namespace?: string; readonly name?: string }) =>
    reason('VolumeBound', `the volume is bound to claim ${claim.namespace}/${claim.name}`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, claim),
      cure: 'Delete the claim.',
    }),
  usedByVolume: ({ metadata }: PersistentVolume) =>
    reason('UsedByVolume', `volume ${metadata.name} has the attributes of this class`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, metadata),
      cure: 'Change the claim of the volume to another VolumeAttributesClass, or delete it.',
    }),
  usedByClaim: ({ metadata }: PersistentVolumeClaim) =>
    reason('UsedByClaim', `claim ${metadata.namespace}/${metadata.name} names the class`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, metadata),
      cure: 'Change the claim to another VolumeAttributesClass, or delete it.',
    }),
}

export type ProtectionReason = ReasonIn<typeof REASONS>
