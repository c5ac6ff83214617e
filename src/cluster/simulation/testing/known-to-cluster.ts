import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { VOLUME_SNAPSHOT_CONTENTS } from '../../../api/kinds/volume-snapshot.ts'
import { quantityToBytes } from '../../../api/quantity.ts'
import type { KnownToCluster } from './judge.ts'

/** What the objects say, without the faults that the parts of the cluster meet. */
export const knownToCluster = (api: Api): KnownToCluster => ({
  hasExpansion: async (volumeId, bytes) => {
    const volume = (await api.list(PERSISTENT_VOLUMES)).items.find(({ spec }) => spec.csi?.volumeHandle === volumeId)
    const { claimRef } = volume?.spec ?? {}
    const claim = (await api.list(PERSISTENT_VOLUME_CLAIMS)).items.find(
      ({ metadata }) => metadata.uid === claimRef?.uid,
    )
    return claim !== undefined && bytes <= expandedBytes(claim)
  },
  isRetained: async (snapshotId) =>
    (await api.list(VOLUME_SNAPSHOT_CONTENTS)).items.some(
      ({ spec, status }) => spec.deletionPolicy === 'Retain' && status?.snapshotHandle === snapshotId,
    ),
})

/** To what size the driver's controller has expanded the volume, as far as the claim says so. */
function expandedBytes({ status }: PersistentVolumeClaim): bigint {
  const isNodesTurn = /^NodeResize(Pending|InProgress)$/.test(status?.allocatedResourceStatuses?.['storage'] ?? '')
  const size = isNodesTurn ? status?.allocatedResources?.['storage'] : status?.capacity?.['storage']
  return quantityToBytes(size ?? '0')
}
