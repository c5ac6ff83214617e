import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wrapText } from './wrap-text.ts'

test('breaks between words', () => deepEqual(wrapText('one two three', 7), ['one two', 'three']))
test('gives a long word a line of its own', () => deepEqual(wrapText('a abcdefgh b', 4), ['a', 'abcdefgh', 'b']))
test('gives no line for no words', () => deepEqual(wrapText('  \n ', 10), []))

test('keeps every word in order, and every line within the width unless it is one word', () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'é') }))
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 30 }), (given, width) => {
      const lines = wrapText(given.join(' '), width)
      deepEqual(
        lines.flatMap((line) => line.split(' ')),
        given,
      )
      equal(
        lines.every((line) => line.length <= width || !line.includes(' ')),
        true,
      )
    }),
  )
})
