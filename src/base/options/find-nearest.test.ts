import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, findNearest } from './find-nearest.ts'

const flags = ['timeout', 'worker-threads', 'leader-election', 'leader-election-namespace', 'v']
const cases: [word: string, nearest: string | undefined][] = [
  ['timeuot', 'timeout'],
  ['TIMEOUT', 'timeout'],
  ['worker-thread', 'worker-threads'],
  ['leader-elect', 'leader-election'],
  ['leader-election-namespaces', 'leader-election-namespace'],
  ['kubeconfig', undefined],
  ['xy', undefined],
]
for (const [word, nearest] of cases)
  test(`${word} is meant as ${nearest ?? 'nothing known'}`, () => equal(findNearest(word, flags), nearest))

test('of equally near words the first is taken', () => equal(findNearest('bat', ['cat', 'hat']), 'cat'))

test('a swap of neighbours is one step', () => {
  equal(editDistance('ab', 'ba'), 1)
  equal(editDistance('kitten', 'sitting'), 3)
  equal(editDistance('', 'abc'), 3)
})

test('the distance is zero only to itself, the same both ways and never more than the longer word', () => {
  const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', '-') })
  fc.assert(
    fc.property(word, word, (one, other) => {
      const distance = editDistance(one, other)
      equal(distance === 0, one === other)
      equal(distance, editDistance(other, one))
      equal(distance <= Math.max(one.length, other.length), true)
      equal(distance >= Math.abs(one.length - other.length), true)
    }),
  )
})
