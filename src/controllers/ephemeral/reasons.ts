import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type EphemeralReason = ReasonIn<typeof REASONS>

export const REASONS = {
  podLeaving: reason('PodLeaving', 'the pod has finished or is being deleted'),
  claimsMade: reason('ClaimsMade', 'the pod has all its claims'),
  /** A claim of that name belongs to something else. */
  claimInTheWay: (pod: Pod, podVolumeName: string, claimName: string) => {
    const { namespace = '' } = pod.metadata
    return reason(
      'ClaimInTheWay',
      `ephemeral volume ${podVolumeName}: PVC ${namespace}/${claimName} was not created for pod ${keyOf(pod)} (pod is not owner)`,
      {
        waitsFor: objectAwaited(PERSISTENT_VOLUME_CLAIMS, { namespace, name: claimName }),
        detail: { volume: podVolumeName },
        cure: 'Delete the claim, or rename the pod.',
      },
    )
  },
}
