import { test } from 'node:test'
import { forEachSeed, seedsOf } from '../../simulation/index.ts'
import { runSeed } from './describe-seeds.ts'

test('S3-73, S3-74, S3-76, S3-83: whatever fails and whenever it is killed, what is published is attached in the end and nothing else', () =>
  forEachSeed(seedsOf(process.env), async (seed) => void (await runSeed(seed))))
