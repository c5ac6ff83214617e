import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { deepFreeze } from './freeze.ts'
import { applyMergePatch, createMergePatch } from './merge-patch.ts'

// The examples of RFC 7386, appendix A.
const examples: [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]
for (const [target, patch, result] of examples) {
  test(`${JSON.stringify(patch)} makes ${JSON.stringify(result)} of ${JSON.stringify(target)}`, () => {
    const given = structuredClone(target)
    assert.deepEqual(applyMergePatch(deepFreeze(given), deepFreeze(patch)), result)
    assert.deepEqual(given, target)
  })
}

test('what did not change is shared', () => {
  const target = { metadata: { name: 'a' }, spec: { size: 1 } }
  const result = applyMergePatch(target, { spec: { size: 2 } }) as typeof target
  assert.equal(result.metadata, target.metadata)
})

test('a member named __proto__ is a member and nothing else', () => {
  const patch: unknown = JSON.parse('{"__proto__":{"polluted":true}}')
  assert.equal(JSON.stringify(applyMergePatch({}, patch)), '{"__proto__":{"polluted":true}}')
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

const created: [behaviour: string, before: object, after: object, patch: object][] = [
  ['nothing to do is an empty patch', { a: { b: [1] } }, { a: { b: [1] } }, {}],
  ['says only what changed', { a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1, c: 4 }, d: 3 }, { a: { c: 4 } }],
  ['removes by null', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
  ['replaces lists whole', { a: [1, 2] }, { a: [1] }, { a: [1] }],
  ['adds objects', {}, { a: { b: {} } }, { a: { b: {} } }],
  ['puts an object in the place of something else', { a: 1 }, { a: {} }, { a: {} }],
  ['puts something else in the place of an object', { a: { b: 1 } }, { a: [] }, { a: [] }],
  ['empties an object', { a: { b: 1 } }, { a: {} }, { a: { b: null } }],
  ['undefined is missing', { a: 1, b: undefined }, { a: undefined, b: undefined }, { a: null }],
  ['null is missing', { a: { b: 1 } }, { a: { b: 1, c: null } }, {}],
]
for (const [behaviour, before, after, patch] of created) {
  test(behaviour, () => assert.deepEqual(createMergePatch(deepFreeze(before), deepFreeze(after)), patch))
}

// Members are never null, as in API objects; nulls in lists are allowed.
const { value: tree } = fc.letrec<{ value: unknown; members: Record<string, unknown> }>((tie) => ({
  members: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 1, 'x', true),
    fc.array(fc.constantFrom(1, null, 'x'), { maxLength: 2 }),
    tie('members'),
  ),
}))
const anObject = tree.filter(
  (value): value is object => typeof value === 'object' && value !== null && !Array.isArray(value),
)

test('the patch of two objects makes the second of the first', () => {
  fc.assert(
    fc.property(anObject, anObject, (before, after) =>
      assert.deepEqual(applyMergePatch(before, createMergePatch(before, after)), after),
    ),
  )
})

test('a patch of equal objects is empty, and any other is not', () => {
  fc.assert(
    fc.property(anObject, anObject, (one, other) => {
      assert.deepEqual(createMergePatch(one, structuredClone(one)), {})
      assert.equal(Object.keys(createMergePatch(one, other)).length === 0, isDeepStrictEqual(one, other))
    }),
  )
})

test('applying a patch twice is applying it once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
      const once = applyMergePatch(target, patch)
      assert.deepEqual(applyMergePatch(once, patch), once)
    }),
  )
})
