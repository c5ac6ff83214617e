import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CSI_RPCS } from '../rpc.ts'
import { VALID_CALLS } from '../testing/valid-calls.ts'
import { findResponseProblem } from './validate-response.ts'

const problemOf = (method: string, answer: object): string | undefined =>
  findResponseProblem(CSI_RPCS.get(method) ?? assert.fail(method), answer)

describe('the answer of a driver', () => {
  for (const [method, valid] of Object.entries(VALID_CALLS)) {
    if ('answer' in valid) it(`is right for ${method}`, () => assert.equal(problemOf(method, valid.answer), undefined))
  }

  const snapshot = VALID_CALLS.createSnapshot.answer.snapshot
  const group = VALID_CALLS.createVolumeGroupSnapshot.answer.groupSnapshot
  const cases: [method: string, answer: object, problem: string][] = [
    ['createVolume', {}, 'volume.volumeId is required'],
    ['createVolume', { volume: { volumeId: '' } }, 'volume.volumeId is required'],
    ['controllerGetVolume', { status: {} }, 'volume.volumeId is required'],
    ['controllerGetVolume', { volume: { volumeId: 'v' } }, 'status is required'],
    ['createSnapshot', {}, 'snapshot.snapshotId is required'],
    ['createSnapshot', { snapshot: { ...snapshot, sourceVolumeId: '' } }, 'snapshot.sourceVolumeId is required'],
    ['createSnapshot', { snapshot: { ...snapshot, creationTime: undefined } }, 'snapshot.creationTime is required'],
    ['getSnapshot', { snapshot: { ...snapshot, snapshotId: undefined } }, 'snapshot.snapshotId is required'],
    ['createVolumeGroupSnapshot', { groupSnapshot: {} }, 'groupSnapshot.groupSnapshotId is required'],
    [
      'getVolumeGroupSnapshot',
      { groupSnapshot: { ...group, creationTime: undefined } },
      'groupSnapshot.creationTime is required',
    ],
    ['nodeGetInfo', {}, 'nodeId is required'],
    ['nodeGetInfo', { nodeId: 'n'.repeat(257) }, 'node_id has 257 bytes, at most 256 are allowed'],
    [
      'createVolume',
      { volume: { volumeId: 'v'.repeat(129) } },
      'volume: volume_id has 129 bytes, at most 128 are allowed',
    ],
  ]
  for (const [method, answer, problem] of cases) {
    it(`is wrong for ${method} when ${problem}`, () => assert.equal(problemOf(method, answer), problem))
  }
})
