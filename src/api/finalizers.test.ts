import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Patch } from './api.ts'
import { addFinalizerPatch, dropFinalizerPatch, hasFinalizer, removeFinalizerPatch } from './finalizers.ts'
import { applyJsonPatch } from './json-patch.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { applyMergePatch } from './merge-patch.ts'
import type { ObjectMeta } from './object.ts'

type Holder = { metadata: ObjectMeta }

const holder = (...finalizers: string[]): Holder => ({
  metadata: { name: 'a', uid: 'u1', resourceVersion: '7', ...(finalizers.length === 0 ? {} : { finalizers }) },
})

function apply(object: Holder, patch: Patch | undefined): Holder {
  if (!patch) return object
  return (
    patch.type === 'json' ? applyJsonPatch(object, patch.operations) : applyMergePatch(object, patch.value)
  ) as Holder
}

const forms = ['merge', 'json'] as const

for (const form of forms) {
  test(`adds to what is there and removes only its own, as ${form} patch`, () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
    fc.assert(
      fc.property(names, fc.constantFrom('a', 'b', 'c', 'd'), (finalizers, name) => {
        const object = holder(...finalizers)
        const added = apply(object, addFinalizerPatch(object, name, { form }))
        assert.deepEqual(added.metadata.finalizers, finalizers.includes(name) ? finalizers : [...finalizers, name])
        const removed = apply(added, removeFinalizerPatch(added, name, { form }))
        assert.deepEqual(
          removed.metadata.finalizers ?? [],
          finalizers.filter((each) => each !== name),
        )
      }),
    )
  })

  test(`has nothing to patch when the object is as wanted, as ${form} patch`, () => {
    assert.equal(addFinalizerPatch(holder('x'), 'x', { form }), undefined)
    assert.equal(removeFinalizerPatch(holder('x'), 'y', { form }), undefined)
    assert.equal(removeFinalizerPatch(holder(), 'y', { form }), undefined)
  })
}

test('a merge patch carries the version it was decided on', () => {
  assert.deepEqual(addFinalizerPatch(holder('x'), 'y'), {
    type: 'merge',
    value: { metadata: { uid: 'u1', resourceVersion: '7', finalizers: ['x', 'y'] } },
  })
})

test('a merge patch that removes the last one removes the list', () => {
  assert.deepEqual(removeFinalizerPatch(holder('x'), 'x'), {
    type: 'merge',
    value: { metadata: { uid: 'u1', resourceVersion: '7', finalizers: null } },
  })
})

test('a JSON patch does not mind that something else changed', () => {
  const later = { metadata: { ...holder('x').metadata, resourceVersion: '8', labels: { a: 'b' } } }
  assert.deepEqual(apply(later, addFinalizerPatch(holder('x'), 'y', { form: 'json' })).metadata.finalizers, ['x', 'y'])
})

const refused: [behaviour: string, patch: Patch | undefined, now: Holder][] = [
  [
    'an object made anew is left alone',
    removeFinalizerPatch(holder('x'), 'x', { form: 'json' }),
    { metadata: { ...holder('x').metadata, uid: 'u2' } },
  ],
  [
    'a list that shifted is left alone',
    removeFinalizerPatch(holder('x', 'y'), 'y', { form: 'json' }),
    holder('y', 'z'),
  ],
  [
    'a list that somebody else began is not overwritten',
    addFinalizerPatch(holder(), 'x', { form: 'json' }),
    { metadata: { ...holder('z').metadata, resourceVersion: '8' } },
  ],
]
for (const [behaviour, patch, now] of refused) {
  test(behaviour, () =>
    assert.throws(
      () => apply(now, patch),
      (error) => error instanceof JsonPatchError && error.kind === 'test-failed',
    ),
  )
}

test('knows its own finalizer', () => {
  assert.equal(hasFinalizer(holder('x'), 'x'), true)
  assert.equal(hasFinalizer(holder(), 'x'), false)
})

test('a finalizer is dropped by its name, from this very object and no other', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v', uid: 'u1', finalizers: ['a', 'b'] },
  }
  assert.deepEqual(dropFinalizerPatch(object, 'b'), {
    type: 'strategic',
    value: { metadata: { uid: 'u1', '$deleteFromPrimitiveList/finalizers': ['b'] } },
  })
  assert.equal(dropFinalizerPatch(object, 'c'), undefined)
})
