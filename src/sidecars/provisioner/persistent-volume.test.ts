import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CreateVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import { VOLUME_FINALIZER } from '../../storage/names.ts'
import { isSameVolume, persistentVolumeOf } from './persistent-volume.ts'
import type { MadeVolume } from './judge-create-result.ts'
import type { VolumeOptions } from './persistent-volume.ts'
import type { ProvisionPlan } from './provision-view.ts'
import { CLAIM_UID, DRIVER, testClaim, testClass, testVolume } from './testing/objects.ts'

type VolumeParts = Omit<ProvisionPlan, 'request'> &
  VolumeOptions & { name: string; capabilities: ProvisionPlan['request']['volumeCapabilities']; made: MadeVolume }

const parts: VolumeParts = {
  name: 'pvc-1',
  claim: testClaim(),
  class: testClass(),
  secrets: {},
  fsType: 'xfs',
  capabilities: [
    {
      accessType: { $case: 'mount', value: { fsType: 'xfs', mountFlags: [], volumeMountGroup: '' } },
      accessMode: { mode: 1 },
    },
  ],
  made: { id: 'handle', capacityBytes: 1073741824n, context: { zone: 'a' }, accessibleTopology: [] },
  identity: 'me',
  topology: true,
  selectedNode: '',
  controllerPublishReadonly: false,
  attacherFinalizer: false,
}
const volumeOf = ({ name, capabilities: volumeCapabilities, made, ...rest }: VolumeParts) =>
  persistentVolumeOf(
    { ...rest, request: CreateVolumeRequest.fromPartial({ name, volumeCapabilities }) },
    made,
    rest,
    true,
  )
const ref = (name: string) => ({ name, namespace: 'vault' })

test('S3-59 S3-61: the volume carries what was made and is bound to its claim', () => {
  deepEqual(volumeOf(parts), {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'pvc-1',
      annotations: {
        'pv.kubernetes.io/provisioned-by': DRIVER,
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
      finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: 'shop',
        name: 'data',
        uid: CLAIM_UID,
        resourceVersion: '7',
      },
      csi: {
        driver: DRIVER,
        volumeHandle: 'handle',
        fsType: 'xfs',
        volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': 'me', zone: 'a' },
      },
    },
  })
})
test('S3-174: the secret for deletion is noted', () => {
  const { annotations } = volumeOf({ ...parts, secrets: { provisioner: ref('p') } }).metadata
  equal(annotations?.['volume.kubernetes.io/provisioner-deletion-secret-name'], 'p')
  equal(annotations?.['volume.kubernetes.io/provisioner-deletion-secret-namespace'], 'vault')
})
test('S3-177 H48: the other secrets are noted as references', () => {
  const secrets = {
    controllerPublish: ref('a'),
    nodeStage: ref('b'),
    nodePublish: ref('c'),
    controllerExpand: ref('d'),
    nodeExpand: ref('e'),
    controllerModify: ref('f'),
  }
  const volume = volumeOf({ ...parts, secrets })
  const { csi } = volume.spec
  deepEqual(
    [
      csi?.controllerPublishSecretRef,
      csi?.nodeStageSecretRef,
      csi?.nodePublishSecretRef,
      csi?.controllerExpandSecretRef,
      csi?.nodeExpandSecretRef,
    ],
    'abcde'.split('').map(ref),
  )
  equal(volume.metadata.annotations?.['volume.kubernetes.io/controller-modify-secret-name'], 'f')
  equal(volume.metadata.annotations?.['volume.kubernetes.io/controller-modify-secret-namespace'], 'vault')
})
test('S3-60: the place of the volume becomes its node affinity', () => {
  const made = { ...parts.made, accessibleTopology: [{ segments: { zone: 'a' } }] }
  deepEqual(volumeOf({ ...parts, made }).spec.nodeAffinity, {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
  })
})
test('H57: without topology no affinity is written, whatever the driver says', () => {
  const made = { ...parts.made, accessibleTopology: [{ segments: { zone: 'a' } }] }
  equal(volumeOf({ ...parts, made, topology: false }).spec.nodeAffinity, undefined)
})
test('S3-161: a volume that is retained has no finalizer of ours', () => {
  const volume = volumeOf({ ...parts, class: testClass({ reclaimPolicy: 'Retain' }) })
  equal(volume.metadata.finalizers, undefined)
  equal(volume.spec.persistentVolumeReclaimPolicy, 'Retain')
  deepEqual(volumeOf(parts).metadata.finalizers, [VOLUME_FINALIZER])
})
test('a class without a policy leaves it to the server', () => {
  const { reclaimPolicy: _, ...storageClass } = testClass()
  equal(volumeOf({ ...parts, class: storageClass }).spec.persistentVolumeReclaimPolicy, undefined)
})
test('a block volume has mount options but no file system', () => {
  const { spec } = volumeOf({
    ...parts,
    claim: testClaim({ volumeMode: 'Block' }),
    class: testClass({ mountOptions: ['ro'] }),
  })
  equal(spec.csi?.fsType, undefined)
  deepEqual(spec.mountOptions, ['ro'])
  equal(spec.volumeMode, 'Block')
})
test('the driver may say its own provisioner identity', () => {
  const made = { ...parts.made, context: { 'storage.kubernetes.io/csiProvisionerIdentity': 'its own' } }
  equal(
    volumeOf({ ...parts, made }).spec.csi?.volumeAttributes?.['storage.kubernetes.io/csiProvisionerIdentity'],
    'its own',
  )
})
test('a volume that is only read is read-only when that is asked, and it has no other mode', () => {
  const reader = { ...parts.capabilities[0], accessMode: { mode: 3 as const } } as VolumeParts['capabilities'][number]
  const readOnly = (change: Partial<VolumeParts>) => volumeOf({ ...parts, ...change }).spec.csi?.readOnly
  equal(readOnly({ capabilities: [reader], controllerPublishReadonly: true }), true)
  equal(readOnly({ capabilities: [reader] }), undefined)
  equal(readOnly({ capabilities: [reader, ...parts.capabilities], controllerPublishReadonly: true }), undefined)
  equal(readOnly({ controllerPublishReadonly: true }), undefined)
})
test('the attributes class of the claim is noted', () => {
  equal(
    volumeOf({ ...parts, claim: testClaim({ volumeAttributesClassName: 'gold' }) }).spec.volumeAttributesClassName,
    'gold',
  )
})
test('a volume of the same name is ours only with the same handle and claim, and while it stays', () => {
  const ours = testVolume()
  equal(isSameVolume(testVolume(), ours), true)
  equal(isSameVolume(testVolume({ csi: { driver: DRIVER, volumeHandle: 'handle-0' } }), ours), false)
  equal(isSameVolume(testVolume({ claimRef: { uid: 'other' } }), ours), false)
  equal(isSameVolume(testVolume({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), ours), false)
})
