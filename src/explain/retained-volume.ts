import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { clearClaimRef } from '../storage/claim-reference.ts'
import { findMisfit } from '../storage/find-misfit.ts'
import type { WhyReason } from './why-reason.ts'

/** If no volume fits, but one was retained for a deleted claim of the same name: how to bind the claim to that one. */
export function withRetained(
  reason: WhyReason,
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): WhyReason | undefined {
  const { name, namespace, uid } = claim.metadata
  const retained = volumes.find((volume) => {
    const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
    const isNamesake = claimRef?.name === name && claimRef?.namespace === namespace && claimRef?.uid !== uid
    return (
      isNamesake &&
      volume.status?.phase === 'Released' &&
      persistentVolumeReclaimPolicy === 'Retain' &&
      !findMisfit(claim, volume)
    )
  })
  const { name: volumeName = '' } = retained?.metadata ?? {}
  return retained
    ? {
        ...reason,
        detail: { ...reason.detail, retained: volumeName },
        cure: `Volume ${volumeName} was retained for an earlier claim ${namespace}/${name}, which has been deleted. To bind it to this claim with the data of the earlier one, run: ${clearClaimRef(volumeName)}.`,
      }
    : undefined
}
