import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { seedsOf } from './for-each-seed.ts'

test('the environment asks for one seed, the first so many, or a range', () => {
  deepEqual(seedsOf({ HOLDFAST_SEED: '7', HOLDFAST_SEEDS: '3' }), [7])
  deepEqual(seedsOf({ HOLDFAST_SEEDS: '3' }), [1, 2, 3])
  deepEqual(seedsOf({ HOLDFAST_SEEDS: '501-503' }), [501, 502, 503])
  deepEqual(seedsOf({}).length, 100)
})

test('a wrong range runs nothing, and so must not pass', () => {
  for (const wrong of ['', '0', '9-3', '3-', 'x', '1-2-3'])
    throws(() => seedsOf({ HOLDFAST_SEEDS: wrong }), /HOLDFAST_SEEDS/)
})
