import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstPlace } from './first-place.ts'

test('finds the first place behind all that come before, as a search from the start does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), fc.nat(5), (numbers, limit, low) => {
      const sorted = numbers.toSorted((left, right) => left - right)
      const start = Math.min(low, sorted.length)
      const found = sorted.findIndex((number, index) => index >= start && number >= limit)
      equal(
        firstPlace(start, sorted.length, (index) => (sorted[index] ?? 0) < limit),
        found === -1 ? sorted.length : found,
      )
    }),
  )
})
