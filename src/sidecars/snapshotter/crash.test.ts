import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { countLooks, countWrites, describeCrashes, describeSeeds, runSeed } from './testing/snapshot-crashes.ts'

describeCrashes()
describeSeeds([1, 2, 3, 4, 5, 6])

test('a seed replays step for step', async () => equal(await runSeed(7), await runSeed(7)))

test('a snapshot costs nine writes, and its deletion four; the claim is updated, which the rights of upstream allow, and never patched', async () => {
  deepEqual(await countWrites(), { taking: 9, deleting: 4, onClaim: ['update', 'update'] })
})

test('a snapshot that takes long is asked for with growing delays, and written once', async () => {
  const { looks, statusWrites } = await countLooks()
  ok(looks >= 4 && looks <= 8, `${looks} calls`)
  equal(statusWrites, 1)
})
