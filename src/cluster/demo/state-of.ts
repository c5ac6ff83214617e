import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { BETA_STORAGE_PROVISIONER, findAnnotation, selectedNodeOf } from '../../storage/names.ts'

/** The state of an object of each kind, in a few words. Only changes of it are reported. */
export const STATES = {
  storageClass: ({ provisioner, volumeBindingMode = 'Immediate' }: StorageClass): string =>
    `for ${provisioner}, ${volumeBindingMode}`,
  claim: (claim: PersistentVolumeClaim): string => {
    const { metadata, spec, status } = claim
    if (metadata.deletionTimestamp) return 'is being deleted'
    if (status?.phase === 'Bound') {
      const { capacity, currentVolumeAttributesClassName: attributes } = status
      return [`Bound to ${spec.volumeName}`, capacity?.['storage'], attributes].filter(Boolean).join(', ')
    }
    const node = selectedNodeOf(claim)
    if (node !== '') return `waiting for its provisioner, for ${node}`
    const provisioner = findAnnotation(claim, BETA_STORAGE_PROVISIONER)
    return provisioner === undefined || provisioner === '' ? 'Pending' : `waiting for provisioner ${provisioner}`
  },
  volume: ({ metadata, spec, status }: PersistentVolume): string =>
    metadata.deletionTimestamp ? 'is being deleted' : `${status?.phase ?? 'created'}, ${spec.capacity?.['storage']}`,
  snapshot: ({ metadata, status }: VolumeSnapshot | VolumeSnapshotContent): string => {
    if (metadata.deletionTimestamp) return 'is being deleted'
    return status?.readyToUse ? 'ready to use' : 'not ready'
  },
  pod: ({ metadata, spec, status }: Pod): string => {
    if (metadata.deletionTimestamp) return 'is being deleted'
    if (!spec.nodeName) return 'waiting to be scheduled'
    return status?.phase === 'Running' ? 'Running' : `scheduled to ${spec.nodeName}`
  },
  attachment: ({ metadata, spec, status }: VolumeAttachment): string => {
    if (metadata.deletionTimestamp) return 'is being deleted'
    return status?.attached ? `attached to ${spec.nodeName}` : `to be attached to ${spec.nodeName}`
  },
  driver: ({ spec: { podInfoOnMount = false, volumeLifecycleModes = [], tokenRequests = [] } }: CSIDriver): string => {
    const wishes = [
      ...(podInfoOnMount ? ['pod information'] : []),
      ...tokenRequests.map(({ audience }) => `a token for ${audience}`),
    ]
    return `${volumeLifecycleModes.join(' and ')}${wishes.length === 0 ? '' : `, requests ${wishes.join(' and ')}`}`
  },
}

export const GONE = 'gone'
