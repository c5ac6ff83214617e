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

// Plain objects for the tests of this folder.

export const DRIVER = 'disk.example.com'
export const CLAIM_UID = '5d1f0e1c-7b1a-4f0e-9d57-0a4f6f1f3c55'
export const VOLUME_NAME = `pvc-${CLAIM_UID}`

export function testClaim(
  spec: Partial<PersistentVolumeClaimSpec> = {},
  metadata: Partial<ObjectMeta> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'data',
      namespace: 'shop',
      uid: CLAIM_UID,
      resourceVersion: '7',
      annotations: { [STORAGE_PROVISIONER]: DRIVER },
      ...metadata,
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
      ...spec,
    },
    status: { phase: 'Pending' },
  }
}

export function testClass(given: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast', uid: 'class-1' },
    provisioner: DRIVER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...given,
  }
}

export function testVolume(
  spec: Partial<PersistentVolumeSpec> = {},
  { phase = 'Bound', ...metadata }: Partial<ObjectMeta> & { phase?: PersistentVolumePhase } = {},
): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: VOLUME_NAME, uid: 'volume-1', ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: CLAIM_UID },
      csi: { driver: DRIVER, volumeHandle: 'handle-1' },
      ...spec,
    },
    status: { phase },
  }
}

export const testNode = (name: string, labels: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
})

/** A node without keys for the driver has no entry of it. */
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
