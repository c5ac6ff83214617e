import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { countGroupWrites, describeGroupCrashes, describeGroupSeeds, runGroupSeed } from './testing/group-crashes.ts'

describeGroupCrashes()
describeGroupSeeds([1, 2, 3, 4, 5, 6])

test('a seed of groups replays step for step', async () => equal(await runGroupSeed(7), await runGroupSeed(7)))

test('a group of two costs 19 writes, and its deletion 12', async () => {
  deepEqual(await countGroupWrites(), { taking: 19, deleting: 12, onClaims: ['update', 'update', 'update', 'update'] })
})
