import type { CSINode } from '../../../api/kinds/csi-node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../api/kinds/persistent-volume-claim.ts'
import type {
  PersistentVolume,
  PersistentVolumeSpec,
  PersistentVolumePhase,
} from '../../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../../api/kinds/storage-class.ts'
import type { ObjectMeta } from '../../../api/object.ts'
import { STORAGE_PROVISIONER } from '../../../storage/names.ts'
import { claimOf, classOf, nodeOf, reservedFor, volumeOf } from '../../../testing/objects.ts'

// Plain objects for the tests of this folder.

export const DRIVER = 'disk.example.com'
export const CLAIM_UID = '5d1f0e1c-7b1a-4f0e-9d57-0a4f6f1f3c55'
export const VOLUME_NAME = `pvc-${CLAIM_UID}`

export const testClaim = (
  spec: Partial<PersistentVolumeClaimSpec> = {},
  metadata: Partial<ObjectMeta> = {},
): PersistentVolumeClaim =>
  claimOf({
    name: 'data',
    namespace: 'shop',
    uid: CLAIM_UID,
    className: 'fast',
    metadata: { annotations: { [STORAGE_PROVISIONER]: DRIVER }, ...metadata },
    spec: { volumeMode: 'Filesystem', ...spec },
  })

export const testClass = (given: Partial<StorageClass> = {}): StorageClass =>
  classOf({ metadata: { name: 'fast', uid: 'class-1' }, provisioner: DRIVER, ...given })

export const testVolume = (
  spec: Partial<PersistentVolumeSpec> = {},
  { phase = 'Bound', ...metadata }: Partial<ObjectMeta> & { phase?: PersistentVolumePhase } = {},
): PersistentVolume =>
  volumeOf({
    name: VOLUME_NAME,
    phase,
    metadata: { uid: 'volume-1', ...metadata },
    spec: {
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      claimRef: { ...reservedFor('data', CLAIM_UID), namespace: 'shop' },
      csi: { driver: DRIVER, volumeHandle: 'handle-1' },
      ...spec,
    },
  })

export const testNode = (name: string, labels: Readonly<Record<string, string>>): Node =>
  nodeOf(name, { metadata: { labels } })

/** A node without keys for the driver has no entry for it. */
export const testCsiNode = (
  name: string,
  topologyKeys: readonly string[] | null | undefined,
  driver = DRIVER,
): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name },
  spec: { drivers: topologyKeys === undefined ? [] : [{ name: driver, nodeID: name, topologyKeys }] },
})
