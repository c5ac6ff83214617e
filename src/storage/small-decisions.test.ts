import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta } from '../api/object.ts'
import { claimKeyOf, claimReferenceTo, isVolumeBoundToClaim } from './claim-reference.ts'
import { findDefaultClass } from './default-class.ts'
import { findMisfit } from './find-misfit.ts'
import { classNameOf, findClassName, isDelayedBinding, selectedNodeOf } from './names.ts'
import { isFinishedPod, podClaimKeysOf, podClaimsOf } from './pod-claims.ts'
import { createSortedGroup } from './sorted-group.ts'
import { claimOf, classOf, podOf, reservedFor, volumeOf, volumeOfClaim } from '../testing/objects.ts'

test('the class of a claim is its annotation, else its field; none is something else than the empty one', () => {
  const none = { metadata: {}, spec: {} }
  equal(findClassName(none), undefined)
  equal(classNameOf(none), '')
  equal(findClassName(claimOf({ spec: { storageClassName: '' } })), '')
  equal(
    classNameOf(
      claimOf({
        spec: { storageClassName: 'slow' },
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' } },
      }),
    ),
    'fast',
  )
})
test('H58: the selected node is read under its new name, then under the old one', () => {
  equal(selectedNodeOf(claimOf()), '')
  equal(
    selectedNodeOf(claimOf({ metadata: { annotations: { 'volume.alpha.kubernetes.io/selected-node': 'old' } } })),
    'old',
  )
  equal(
    selectedNodeOf(
      claimOf({
        metadata: {
          annotations: {
            'volume.alpha.kubernetes.io/selected-node': 'old',
            'volume.kubernetes.io/selected-node': 'new',
          },
        },
      }),
    ),
    'new',
  )
})
test('a class that is not there delays nothing', () => {
  equal(isDelayedBinding(undefined), false)
  equal(isDelayedBinding(classOf()), false)
  equal(isDelayedBinding(classOf({ volumeBindingMode: 'WaitForFirstConsumer' })), true)
})
test('S3-61: a volume is bound to the claim that it names, by uid where it has one', () => {
  equal(isVolumeBoundToClaim(volumeOf(), claimOf()), false)
  equal(isVolumeBoundToClaim(volumeOf({ spec: { claimRef: reservedFor('c1') } }), claimOf()), true)
  equal(isVolumeBoundToClaim(volumeOf({ spec: { claimRef: reservedFor('c1', '') } }), claimOf()), true)
  equal(isVolumeBoundToClaim(volumeOf({ spec: { claimRef: reservedFor('c1', 'uid-c1') } }), claimOf()), true)
  equal(isVolumeBoundToClaim(volumeOf({ spec: { claimRef: reservedFor('c1', 'uid-former') } }), claimOf()), false)
  equal(
    isVolumeBoundToClaim(volumeOf({ spec: { claimRef: { ...reservedFor('c1'), namespace: 'other' } } }), claimOf()),
    false,
  )
  equal(isVolumeBoundToClaim(volumeOf({ spec: { claimRef: claimReferenceTo(claimOf()) } }), claimOf()), true)
  equal(claimKeyOf(volumeOf({ spec: { claimRef: claimReferenceTo(claimOf()) } })), 'default/c1')
})
test('says what keeps a claim from the volume that it names', () => {
  equal(findMisfit(claimOf(), volumeOf()), undefined)
  equal(findMisfit(claimOf({ spec: { selector: { matchLabels: { a: 'b' } } } }), volumeOf()), undefined)
  const misfits = [
    findMisfit(claimOf({ size: '2Gi' }), volumeOf()),
    findMisfit(claimOf({ spec: { storageClassName: 'fast' } }), volumeOf()),
    findMisfit(claimOf({ spec: { volumeAttributesClassName: 'gold' } }), volumeOf()),
    findMisfit(claimOf({ spec: { volumeMode: 'Block' } }), volumeOf()),
    findMisfit(claimOf({ modes: ['ReadWriteOnce', 'ReadWriteMany'] }), volumeOf()),
    findMisfit(claimOf(), volumeOf({ metadata: { name: 'v1', deletionTimestamp: '2026-01-01T00:00:00Z' } })),
  ]
  deepEqual(
    misfits.map((misfit) => misfit?.what),
    ['size', 'storageClass', 'volumeAttributesClass', 'volumeMode', 'accessModes', 'deletion'],
  )
  deepEqual(misfits[4], { what: 'accessModes', wanted: 'ReadWriteMany', found: 'ReadWriteOnce' })
})
test('of several default classes the newest counts, then the first by name', () => {
  const isDefault = { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }
  const named = (name: string, creationTimestamp: string, metadata: ObjectMeta = isDefault) =>
    classOf({ metadata: { name, creationTimestamp, ...metadata } })
  equal(findDefaultClass([]), undefined)
  equal(findDefaultClass([classOf()]), undefined)
  const old = named('a', '2026-01-01T00:00:00Z')
  const one = named('c', '2026-01-02T00:00:00Z')
  const two = named('b', '2026-01-02T00:00:00Z', {
    annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' },
  })
  equal(findDefaultClass([old, one, two]), two)
  equal(
    findDefaultClass([
      old,
      named('z', '2026-01-03T00:00:00Z', { annotations: { 'storageclass.kubernetes.io/is-default-class': 'false' } }),
    ]),
    old,
  )
})
test('the claims of a pod are those that it names and its own', () => {
  const pod = podOf('web', {
    volumes: [
      volumeOfClaim('data', 'a'),
      { name: 'b', ephemeral: {} },
      { name: 'c', emptyDir: {} },
      volumeOfClaim('data', 'd'),
    ],
  })
  deepEqual(
    podClaimsOf(pod).map(({ claimName, isEphemeral }) => [claimName, isEphemeral]),
    [
      ['data', false],
      ['web-b', true],
      ['data', false],
    ],
  )
  deepEqual(podClaimKeysOf(pod), ['default/data', 'default/web-b'])
  equal(isFinishedPod(pod), false)
  equal(isFinishedPod({ ...pod, status: { phase: 'Succeeded' } }), true)
})
test('a sorted group goes up and down from a rank, by name within one', () => {
  const group = createSortedGroup<string>()
  for (const [rank, name] of [
    [2n, 'b'],
    [1n, 'a'],
    [3n, 'd'],
    [2n, 'c'],
  ] as const)
    group.add(rank, name, name)
  deepEqual([...group.upFrom(2n)], ['b', 'c', 'd'])
  deepEqual([...group.downFrom(2n)], ['c', 'b', 'a'])
  group.remove(2n, 'b')
  group.remove(2n, 'never there')
  deepEqual([...group.upFrom(0n)], ['a', 'c', 'd'])
  equal(group.size(), 3)
})
