import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { AccessMode, PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { ObjectMeta } from '../../api/object.ts'

type ClaimParts = {
  name?: string
  uid?: string
  size?: string
  modes?: readonly AccessMode[]
  metadata?: ObjectMeta
  spec?: Partial<PersistentVolumeClaim['spec']>
  status?: PersistentVolumeClaim['status']
}

/** Claim `c1` of namespace `default`, of no class, that wants 1Gi. */
export function claimOf({
  name = 'c1',
  uid = `uid-${name}`,
  size = '1Gi',
  modes = ['ReadWriteOnce'],
  metadata = {},
  spec = {},
  status = { phase: 'Pending' },
}: ClaimParts = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name, uid, resourceVersion: '7', ...metadata },
    spec: { accessModes: modes, resources: { requests: { storage: size } }, storageClassName: '', ...spec },
    status,
  }
}

type VolumeParts = {
  name?: string
  size?: string
  modes?: readonly AccessMode[]
  metadata?: ObjectMeta
  spec?: Partial<PersistentVolume['spec']>
  phase?: NonNullable<PersistentVolume['status']>['phase']
}

/** Volume `v1`, of no class and nobody's, with 1Gi. */
export function volumeOf({
  name = 'v1',
  size = '1Gi',
  modes = ['ReadWriteOnce'],
  metadata = {},
  spec = {},
  phase = 'Available',
}: VolumeParts = {}): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '7', ...metadata },
    spec: {
      capacity: { storage: size },
      accessModes: modes,
      csi: { driver: 'test.holdfast.dev', volumeHandle: name },
      ...spec,
    },
    status: { phase },
  }
}

/** Class `fast` of `test.holdfast.dev`. */
export const classOf = (more: Partial<StorageClass> = {}, name = 'fast'): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'test.holdfast.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  ...more,
})

/** As a person reserves a volume for a claim. */
export const reservedFor = (name: string, uid?: string): NonNullable<PersistentVolume['spec']['claimRef']> => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  namespace: 'default',
  name,
  ...(uid === undefined ? {} : { uid }),
})
