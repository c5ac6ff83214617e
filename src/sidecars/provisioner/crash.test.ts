import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { describeCrashes } from './testing/describe-crashes.ts'
import { describeSeeds, runSeed } from './testing/describe-seeds.ts'

describeCrashes()
describeSeeds([1, 2, 3])

test('a seed gives the same story each time', async () => {
  equal(await runSeed(4), await runSeed(4))
})
