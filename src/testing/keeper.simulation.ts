import { test } from 'node:test'
import { forEachSeed, seedsOf } from './for-each-seed.ts'
import { runKeeperScenario } from './keeper-under-test.ts'

test('a controller that writes its intent down first leaks nothing, whatever the seed', () =>
  forEachSeed(seedsOf(process.env), async (seed) => void (await runKeeperScenario(seed, 'intent first'))))
