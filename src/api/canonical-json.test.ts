import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'
import { isEqualJson } from './equal-json.ts'

test('two values have one text exactly where they are equal', () => {
  // Few and short names and texts, so that many pairs are equal.
  const text = fc.constantFrom('a', 'b', '1', '')
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(0, -0, 1, 1.0, 1e3, true, null),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(value, value, (one, other) =>
      assert.equal(canonicalJson(one) === canonicalJson(other), isEqualJson(one, other)),
    ),
    { numRuns: 2000 },
  )
})

test('order of members and members that are undefined make no difference', () => {
  assert.equal(canonicalJson({ b: 1.0, a: [{ d: 1, c: undefined }] }), canonicalJson({ a: [{ d: 1 }], b: 1 }))
  assert.notEqual(canonicalJson({ a: '1' }), canonicalJson({ a: 1 }))
  assert.notEqual(canonicalJson({ a: null }), canonicalJson({}))
})
