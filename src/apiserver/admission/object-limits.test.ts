import { deepEqual, doesNotThrow, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { admitted, writeOf } from './testing/admission-under-test.ts'
import { defaultAdmissionPlugins } from './default-admission-plugins.ts'
import { objectLimits } from './object-limits.ts'

const MOST = 1.5 * 1024 * 1024
// The length of the object's JSON without its value.
const AROUND = JSON.stringify({ metadata: { name: 'x' }, data: { a: '' } }).length

test('an object of 1.5 MiB is stored', () =>
  doesNotThrow(() => admitted(objectLimits, writeOf('ConfigMap', { data: { a: 'x'.repeat(MOST - AROUND) } }))))
test('a larger one is not', () => {
  throws(() => admitted(objectLimits, writeOf('ConfigMap', { data: { a: 'x'.repeat(MOST - AROUND + 1) } })), {
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'etcdserver: request is too large',
  })
})
test('bytes count, not characters', () =>
  throws(() => admitted(objectLimits, writeOf('ConfigMap', { data: { a: 'é'.repeat(MOST / 2) } })), { code: 413 }))

test('the namespace is looked at first, the size last', () => {
  deepEqual(
    defaultAdmissionPlugins.map(({ name }) => name),
    [
      'NamespaceLifecycle',
      'LimitRanger',
      'ServiceAccount',
      'DefaultTolerationSeconds',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'PersistentVolumeClaimResize',
      'JobsWithoutContainers',
      'ObjectLimits',
    ],
  )
})
