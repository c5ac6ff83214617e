import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { countWrites, describeCrashes, describeSeeds, runSeed } from './testing/snapshot-crashes.ts'

describeCrashes()
describeSeeds([1, 2, 3, 4, 5, 6])

test('a seed replays step for step', async () => equal(await runSeed(7), await runSeed(7)))

test('a snapshot costs nine writes, and its deletion four', async () => {
  deepEqual(await countWrites(), { taking: 9, deleting: 4 })
})
