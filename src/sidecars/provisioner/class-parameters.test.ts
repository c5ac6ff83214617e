import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { claimMetadata, driverParameters, fsTypeOf } from './create-volume-request.ts'
import { REASONS } from './reasons.ts'
import { testClaim } from './testing/objects.ts'

test('S3-43: parameters are passed through as they are', () => {
  deepEqual(driverParameters({ type: 'ssd', 'example.com/x': '', iops: '100' }), {
    kind: 'ok',
    value: { type: 'ssd', 'example.com/x': '', iops: '100' },
  })
})
test('S3-43: reserved keys are hidden from the driver', () => {
  const secret = 'csi.storage.k8s.io/provisioner-secret'
  const parameters = {
    [`${secret}-name`]: 's',
    [`${secret}-namespace`]: 'n',
    'csi.storage.k8s.io/fstype': 'xfs',
    type: 'ssd',
  }
  deepEqual(driverParameters(parameters), { kind: 'ok', value: { type: 'ssd' } })
})
test('H49: old spellings are still passed on', () => {
  const old = { csiProvisionerSecretName: 's', csiProvisionerSecretNamespace: 'n', fsType: 'xfs' }
  deepEqual(driverParameters(old), { kind: 'ok', value: old })
})
for (const key of [
  'csi.storage.k8s.io/nonsense',
  'csi.storage.k8s.io/pvc/name',
  'csi.storage.k8s.io/FSTYPE',
  'csi.storage.k8s.io/',
]) {
  test(`S3-43: ${key} in a class is refused`, () => {
    const decision = driverParameters({ [key]: 'x' })
    deepEqual(decision, { kind: 'refuse', reason: REASONS.ParameterUnknown(key, 'csi.storage.k8s.io/') })
  })
}
test('the extra metadata names claim and volume', () => {
  deepEqual(claimMetadata(testClaim(), 'pvc-1'), {
    'csi.storage.k8s.io/pvc/name': 'data',
    'csi.storage.k8s.io/pvc/namespace': 'shop',
    'csi.storage.k8s.io/pv/name': 'pvc-1',
  })
})

const fsTypes: [behaviour: string, parameters: Record<string, string>, fallback: string, fsType: string][] = [
  ['none is empty', {}, '', ''],
  ['none is the default', {}, 'ext4', 'ext4'],
  ["today's key", { 'csi.storage.k8s.io/fstype': 'xfs' }, 'ext4', 'xfs'],
  ['the old key in any spelling', { FsType: 'xfs' }, 'ext4', 'xfs'],
  ['an empty one is the default', { fstype: '' }, 'ext4', 'ext4'],
]
for (const [behaviour, parameters, fallback, fsType] of fsTypes) {
  test(`the file system: ${behaviour}`, () => deepEqual(fsTypeOf(parameters, fallback), { kind: 'ok', value: fsType }))
}
test('the file system: two keys are refused even when they agree', () => {
  equal(fsTypeOf({ fstype: 'xfs', 'csi.storage.k8s.io/fstype': 'xfs' }, '').kind, 'refuse')
  equal(fsTypeOf({ fstype: 'xfs', fsType: 'xfs' }, '').kind, 'refuse')
})
