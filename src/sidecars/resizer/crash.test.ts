import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { describeCrashes, describeSeeds, runSeed } from './testing/resizer-crashes.ts'

describeCrashes()
describeSeeds([1, 2, 3, 4, 5, 6])

test('a seed replays step for step', async () => equal(await runSeed(7), await runSeed(7)))
