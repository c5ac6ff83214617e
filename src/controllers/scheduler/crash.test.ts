import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { describeCrashes } from './describe-crashes.ts'
import { describeSeeds, runSeed } from './describe-seeds.ts'

describeCrashes()
describeSeeds([1, 2, 3, 4, 5, 6])

test('a seed gives the same story each time', async () => {
  equal(await runSeed(7), await runSeed(7))
})
