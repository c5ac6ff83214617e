import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SortedMap } from './sorted-map.ts'

const key = fc.constantFrom('a', 'a/x', 'a/y', 'a-b/x', 'b/x', 'b', '', 'a/')
const step = fc.record({ key, present: fc.boolean() })

test('a sorted map agrees with a plain one, in order and by prefix', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom('', 'a', 'a/', 'b/', 'c'), (steps, prefix) => {
      const sorted = new SortedMap<number>()
      const plain = new Map<string, number>()
      for (const [index, one] of steps.entries()) {
        if (one.present) {
          sorted.set(one.key, index)
          plain.set(one.key, index)
        } else {
          sorted.delete(one.key)
          plain.delete(one.key)
        }
      }
      const expected = [...plain]
        .filter(([name]) => name.startsWith(prefix))
        .sort(([one], [other]) => (one < other ? -1 : 1))
      deepEqual(
        [...sorted.values(prefix)],
        expected.map(([, value]) => value),
      )
      equal(sorted.size, plain.size)
      for (const [name, value] of plain) equal(sorted.get(name), value)
    }),
  )
})
