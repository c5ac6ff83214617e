import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { isEqualJson } from './equal-json.ts'

test('judges JSON as a deep comparison does', () => {
  const small = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)))
  fc.assert(
    fc.property(small, small, (one, other) => {
      assert.equal(isEqualJson(one, other), isDeepStrictEqual(one, other))
      assert.equal(isEqualJson(one, structuredClone(one)), true)
    }),
  )
})

const cases: [behaviour: string, one: unknown, other: unknown, equal: boolean][] = [
  ['order of members does not matter', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['order of a list does', [1, 2], [2, 1], false],
  ['undefined is missing', { a: undefined }, {}, true],
  ['undefined is missing on the other side', {}, { a: undefined }, true],
  ['null is not missing', { a: null }, {}, false],
  ['more members differ', { a: 1 }, { a: 1, b: 1 }, false],
  ['a list is no object', [], {}, false],
  ['inherited members do not count', { toString: 1 }, {}, false],
  ['a number is not its text', 1, '1', false],
]
for (const [behaviour, one, other, equal] of cases) test(behaviour, () => assert.equal(isEqualJson(one, other), equal))
