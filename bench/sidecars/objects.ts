import type { CSINode } from '../../src/api/kinds/csi-node.ts'
import type { PersistentVolumeClaim } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../src/api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../src/api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../src/api/kinds/volume-attachment.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../src/api/kinds/volume-snapshot.ts'
import type { ObjectMeta } from '../../src/api/object.ts'
import {
  CONTENT_FINALIZER,
  SNAPSHOT_AS_SOURCE_FINALIZER,
  SNAPSHOT_BOUND_FINALIZER,
} from '../../src/storage/snapshot-names.ts'

export const DRIVER = 'null.bench.holdfast.dev'
export const NAMESPACE = 'default'
const CLASS = 'bench'
const NODES = 20

export const storageClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: CLASS },
  provisioner: DRIVER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: true,
}

const nodeName = (index: number): string => `node-${index % NODES}`

export const csiNodes: readonly CSINode[] = Array.from({ length: NODES }, (_, index) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: nodeName(index) },
  spec: { drivers: [{ name: DRIVER, nodeID: nodeName(index), topologyKeys: null }] },
}))

/** A claim that the binder has marked for its provisioner already. */
export const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    namespace: NAMESPACE,
    name,
    annotations: {
      'volume.kubernetes.io/storage-provisioner': DRIVER,
      'volume.beta.kubernetes.io/storage-provisioner': DRIVER,
    },
  },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: CLASS },
})

export const attachment = (volumeName: string, index: number): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: `csi-${volumeName}` },
  spec: { attacher: DRIVER, nodeName: nodeName(index), source: { persistentVolumeName: volumeName } },
})

export type BoundPair = { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }

/** Volume and claim that belong to each other. Nothing keeps the volume from being deleted. */
export function boundPair(claimName: string, volumeName: string, metadata: ObjectMeta = {}): BoundPair {
  const made = claim(claimName)
  return {
    claim: { ...made, spec: { ...made.spec, volumeName } },
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName, ...metadata },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: CLASS,
        volumeMode: 'Filesystem',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE, name: claimName },
        csi: {
          driver: DRIVER,
          volumeHandle: volumeName,
          volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': `1700000000000-1234-${DRIVER}` },
        },
      },
    },
  }
}

const otherUid = (index: number): string => `0f6c1c3e-7d6b-4a55-9b1e-${String(index).padStart(12, '0')}`
const otherName = (index: number): string => `other-${index}`

/** Volume and claim that were provisioned and bound long ago, and that nobody does anything with. */
export const otherVolume = (index: number): BoundPair =>
  boundPair(otherName(index), `pvc-${otherUid(index)}`, {
    annotations: {
      'pv.kubernetes.io/provisioned-by': DRIVER,
      'volume.kubernetes.io/provisioner-deletion-secret-name': '',
      'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
    },
    finalizers: [
      'external-provisioner.volume.kubernetes.io/finalizer',
      `external-attacher/${DRIVER.replaceAll('.', '-')}`,
    ],
  })

export const snapshotClass: VolumeSnapshotClass = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: CLASS },
  driver: DRIVER,
  deletionPolicy: 'Delete',
}

/** A snapshot of the claim, with its name. */
export const snapshot = (claimName: string): VolumeSnapshot => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { namespace: NAMESPACE, name: claimName },
  spec: { source: { persistentVolumeClaimName: claimName }, volumeSnapshotClassName: CLASS },
})

/** A snapshot of such a volume that was taken long ago; its content still needs the UID of the stored snapshot. */
export function otherSnapshot(index: number): VolumeSnapshot {
  const made = snapshot(otherName(index))
  return {
    ...made,
    metadata: { ...made.metadata, finalizers: [SNAPSHOT_AS_SOURCE_FINALIZER, SNAPSHOT_BOUND_FINALIZER] },
  }
}

/** The content of a stored snapshot, and the status of both. */
export function contentOf({ metadata: { name = '', uid = '' } }: VolumeSnapshot, index: number) {
  const content: VolumeSnapshotContent = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: `snapcontent-${uid}`, finalizers: [CONTENT_FINALIZER] },
    spec: {
      volumeSnapshotRef: {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        namespace: NAMESPACE,
        name,
        uid,
      },
      deletionPolicy: 'Delete',
      driver: DRIVER,
      volumeSnapshotClassName: CLASS,
      source: { volumeHandle: `pvc-${otherUid(index)}` },
      sourceVolumeMode: 'Filesystem',
    },
  }
  return {
    content,
    contentStatus: {
      snapshotHandle: `snapshot-${uid}`,
      creationTime: 1_700_000_000_000_000_000n,
      restoreSize: 2 ** 30,
      readyToUse: true,
    },
    snapshotStatus: {
      boundVolumeSnapshotContentName: content.metadata.name,
      creationTime: '2023-11-14T22:13:20Z',
      restoreSize: '1Gi',
      readyToUse: true,
    },
  }
}
