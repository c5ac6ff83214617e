import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deepFreeze } from './freeze.ts'

test('nothing inside can be changed any more', () => {
  const object = deepFreeze({ a: { b: [{ c: 1 }] } })
  assert.throws(() => Object.assign(object, { d: 1 }), TypeError)
  assert.throws(() => Object.assign(object.a.b[0] ?? {}, { c: 2 }), TypeError)
  assert.throws(() => object.a.b.push({ c: 2 }), TypeError)
})

test('gives back the very same value', () => {
  const object = { a: 1 }
  assert.equal(deepFreeze(object), object)
  for (const value of [null, undefined, 'a', 1]) assert.equal(deepFreeze(value), value)
})

test('a changed copy of a frozen object is frozen where it is new', () => {
  const before = deepFreeze({ metadata: { name: 'a' }, spec: { size: 1 } })
  const after = deepFreeze({ ...before, spec: { ...before.spec, size: 2 } })
  assert.equal(after.metadata, before.metadata)
  assert.ok(Object.isFrozen(after.spec))
})
