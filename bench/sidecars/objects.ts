import type { CSINode } from '../../src/api/kinds/csi-node.ts'
import type { PersistentVolumeClaim } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../src/api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../src/api/kinds/storage-class.ts'
import type { VolumeAttachment } from '../../src/api/kinds/volume-attachment.ts'

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

/** Volume and claim that were provisioned and bound long ago, and that nobody does anything with. */
export function otherVolume(index: number): { volume: PersistentVolume; claim: PersistentVolumeClaim } {
  const uid = `0f6c1c3e-7d6b-4a55-9b1e-${String(index).padStart(12, '0')}`
  const name = `other-${index}`
  const made = claim(name)
  return {
    claim: { ...made, spec: { ...made.spec, volumeName: `pvc-${uid}` } },
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: `pvc-${uid}`,
        annotations: {
          'pv.kubernetes.io/provisioned-by': DRIVER,
          'volume.kubernetes.io/provisioner-deletion-secret-name': '',
          'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
        },
        finalizers: [
          'external-provisioner.volume.kubernetes.io/finalizer',
          `external-attacher/${DRIVER.replaceAll('.', '-')}`,
        ],
      },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: CLASS,
        volumeMode: 'Filesystem',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE, name, uid },
        csi: {
          driver: DRIVER,
          volumeHandle: `pvc-${uid}`,
          volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': `1700000000000-1234-${DRIVER}` },
        },
      },
    },
  }
}
