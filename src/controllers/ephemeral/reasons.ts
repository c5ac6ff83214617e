import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { awaiting, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type EphemeralReason = ReasonIn<typeof REASONS>

export const REASONS = defineReasons({
  PodLeaving: 'the pod has finished or is being deleted',
  ClaimsMade: 'the pod has all its claims',
  /** A claim of that name belongs to something else. */
  ClaimInTheWay: (pod: Pod, podVolumeName: string, claimName: string) => {
    const { namespace = '' } = pod.metadata
    return because(
      `ephemeral volume ${podVolumeName}: PVC ${namespace}/${claimName} was not created for pod ${keyOf(pod)} (pod is not owner)`,
      {
        ...awaiting(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }),
        detail: { volume: podVolumeName },
        cure: 'Delete the claim, or rename the pod.',
      },
    )
  },
})
