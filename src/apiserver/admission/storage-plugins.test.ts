import { deepEqual, doesNotThrow, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { admitted, viewOf, writeOf } from './testing/admission-under-test.ts'
import { claimResize } from './claim-resize.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { storageProtection } from './storage-protection.ts'

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'
const storageClass = (name: string, createdAt = '2030-01-01T00:00:00Z', more: object = {}): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, creationTimestamp: createdAt, annotations: { [IS_DEFAULT]: 'true' } },
  ...more,
})

describe('the default storage class', () => {
  const classOf = (claim: object, ...classes: KubeObject[]): unknown =>
    (
      admitted(defaultStorageClass, writeOf('PersistentVolumeClaim', claim, { view: viewOf(...classes) }))?.['spec'] as
        | { storageClassName?: unknown }
        | undefined
    )?.storageClassName

  test('goes to a claim that names none', () => equal(classOf({}, storageClass('fast')), 'fast'))
  test('does not go to a claim that names one', () =>
    equal(classOf({ spec: { storageClassName: 'slow' } }, storageClass('fast')), 'slow'))
  test('does not go to a claim that wants none', () =>
    equal(classOf({ spec: { storageClassName: '' } }, storageClass('fast')), ''))
  test('does not go to a claim that names one in the old way', () => {
    equal(
      classOf(
        { metadata: { name: 'x', annotations: { 'volume.beta.kubernetes.io/storage-class': 'slow' } } },
        storageClass('fast'),
      ),
      undefined,
    )
  })
  test('is the newest of several', () =>
    equal(classOf({}, storageClass('a'), storageClass('b', '2030-01-02T00:00:00Z')), 'b'))
  test('is the first by name of several that are as old', () =>
    equal(classOf({}, storageClass('b'), storageClass('a')), 'a'))
  test('may be marked in the old way', () => {
    equal(
      classOf(
        {},
        storageClass('fast', undefined, {
          metadata: { name: 'fast', annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' } },
        }),
      ),
      'fast',
    )
  })
  test('is none when no class is marked', () =>
    equal(classOf({}, storageClass('fast', undefined, { metadata: { name: 'fast' } })), undefined))
  test('is not given later', () => {
    const update = writeOf('PersistentVolumeClaim', {}, { operation: 'UPDATE', view: viewOf(storageClass('fast')) })
    equal((admitted(defaultStorageClass, update) as { spec?: unknown }).spec, undefined)
  })
})

describe('protection of what is in use', () => {
  const finalizersOf = (kind: string, object: object = {}, more: object = {}): unknown =>
    (admitted(storageProtection, writeOf(kind, object, more)) as { metadata: { finalizers?: unknown } }).metadata
      .finalizers

  test('begins with a claim', () => deepEqual(finalizersOf('PersistentVolumeClaim'), ['kubernetes.io/pvc-protection']))
  test('begins with a volume', () => deepEqual(finalizersOf('PersistentVolume'), ['kubernetes.io/pv-protection']))
  test('begins with an attributes class', () =>
    deepEqual(finalizersOf('VolumeAttributesClass'), ['kubernetes.io/vac-protection']))
  test('leaves other finalizers', () =>
    deepEqual(finalizersOf('PersistentVolume', { metadata: { name: 'x', finalizers: ['a/b'] } }), [
      'a/b',
      'kubernetes.io/pv-protection',
    ]))
  test('is not asked for twice', () =>
    deepEqual(
      finalizersOf('PersistentVolume', { metadata: { name: 'x', finalizers: ['kubernetes.io/pv-protection'] } }),
      ['kubernetes.io/pv-protection'],
    ))
  test('is not renewed: who removed it had a reason', () =>
    equal(finalizersOf('PersistentVolume', {}, { operation: 'UPDATE' }), undefined))
  test('is for storage alone', () => equal(finalizersOf('Secret'), undefined))
})

describe('the growth of a claim', () => {
  const claim = (storage: string, phase = 'Bound', storageClassName: string | undefined = 'fast'): object => ({
    metadata: { name: 'c', namespace: 'ns' },
    spec: { ...(storageClassName && { storageClassName }), resources: { requests: { storage } } },
    status: { phase },
  })
  const grow = (before: object, after: object, ...classes: KubeObject[]): unknown =>
    admitted(
      claimResize,
      writeOf('PersistentVolumeClaim', after, {
        operation: 'UPDATE',
        old: before as Record<string, unknown>,
        view: viewOf(...classes),
      }),
    )
  const growing = storageClass('fast', undefined, { allowVolumeExpansion: true })
  const NOT_BOUND = 'persistentvolumeclaims "c" is forbidden: Only bound persistent volume claims can be expanded'
  const NOT_ALLOWED =
    'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
  const refusal = (message: string): object => ({ name: 'ApiError', code: 403, reason: 'Forbidden', message })

  test('is allowed by its class', () => doesNotThrow(() => grow(claim('1Gi'), claim('2Gi'), growing)))
  test('is refused without that', () =>
    throws(() => grow(claim('1Gi'), claim('2Gi'), storageClass('fast')), refusal(NOT_ALLOWED)))
  test('is refused when the class is gone', () => throws(() => grow(claim('1Gi'), claim('2Gi')), refusal(NOT_ALLOWED)))
  test('is refused without a class', () =>
    throws(() => grow(claim('1Gi', 'Bound', ''), claim('2Gi', 'Bound', ''), growing), refusal(NOT_ALLOWED)))
  test('is refused before it is bound', () =>
    throws(() => grow(claim('1Gi', 'Pending'), claim('2Gi', 'Pending'), growing), refusal(NOT_BOUND)))
  test('is no growth when it says the same in another way', () =>
    doesNotThrow(() => grow(claim('1Gi'), claim('1024Mi'))))
  test('is no growth when it shrinks', () => doesNotThrow(() => grow(claim('2Gi'), claim('1Gi'))))
})
