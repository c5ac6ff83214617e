import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findUnpublished } from './mount-points.ts'
import type { PublishedTarget, PublishedVolume } from './mount-points.ts'

const VOLUME: PublishedVolume = { isBlock: false, isEphemeral: false }
const BLOCK: PublishedVolume = { isBlock: true, isEphemeral: false }
const IN_LINE: PublishedVolume = { isBlock: false, isEphemeral: true }

const cases: [behaviour: string, target: PublishedTarget, volume: PublishedVolume, problem: RegExp | undefined][] = [
  ['accepts a mount', { kind: 'directory', isMounted: true }, VOLUME, undefined],
  ['accepts a link', { kind: 'symlink', isMounted: false }, VOLUME, undefined],
  ['refuses a path that does not exist', { kind: undefined, isMounted: undefined }, VOLUME, /does not exist/],
  ['refuses a plain directory', { kind: 'directory', isMounted: false }, VOLUME, /plain directory/],
  ['refuses a plain file', { kind: 'file', isMounted: false }, VOLUME, /is a file/],
  ['accepts what it cannot check', { kind: 'directory', isMounted: undefined }, VOLUME, undefined],
  ['accepts a plain directory of an inline volume', { kind: 'directory', isMounted: false }, IN_LINE, undefined],
  ['refuses an inline volume without a path', { kind: undefined, isMounted: undefined }, IN_LINE, /does not exist/],
  ['accepts a device', { kind: 'block-device', isMounted: false }, BLOCK, undefined],
  ['accepts a device that is mounted on a file', { kind: 'file', isMounted: true }, BLOCK, undefined],
  ['accepts a link to a device', { kind: 'symlink', isMounted: false }, BLOCK, undefined],
  ['refuses a plain file as a device', { kind: 'file', isMounted: false }, BLOCK, /not a device/],
]

describe('findUnpublished', () => {
  for (const [behaviour, target, volume, problem] of cases)
    test(behaviour, () => {
      const found = findUnpublished(target, volume)
      if (problem) assert.match(found ?? '', problem)
      else assert.equal(found, undefined)
    })
})
