import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Snapshot, VolumeGroupSnapshot } from '../../csi/generated/csi/v1/csi.ts'
import { judgeGroupAnswer } from './judge-group-answer.ts'

const snapshotOf = (sourceVolumeId: string, snapshotId = `s-${sourceVolumeId}`): Snapshot =>
  ({ sourceVolumeId, snapshotId, sizeBytes: 5n, readyToUse: true, creationTime: { seconds: 7n, nanos: 1 } }) as Snapshot
const answerOf = (...snapshots: Snapshot[]): VolumeGroupSnapshot => ({
  groupSnapshotId: 'g',
  readyToUse: true,
  creationTime: undefined,
  snapshots,
})

test('a correct answer has one snapshot of each volume, with its time to the nanosecond', () => {
  deepEqual(judgeGroupAnswer(answerOf(snapshotOf('b'), snapshotOf('a')), ['a', 'b'], 9000), {
    groupHandle: 'g',
    creationTimeMs: 9000,
    isReady: true,
    members: ['b', 'a'].map((volumeHandle) => ({
      volumeHandle,
      snapshotHandle: `s-${volumeHandle}`,
      creationTimeNs: 7_000_000_001n,
      sizeBytes: 5n,
      isReady: true,
    })),
  })
})

const wrong: [behaviour: string, snapshots: Snapshot[], problem: string][] = [
  ['lacks a volume', [snapshotOf('a')], 'the driver answered without a snapshot of volume b'],
  [
    'has a volume that was not asked for',
    [snapshotOf('a'), snapshotOf('c')],
    'the driver answered with snapshot s-c of volume c, which is not in the group',
  ],
  ['has a volume twice', [snapshotOf('a'), snapshotOf('a', 'x')], 'the driver answered with two snapshots of volume a'],
  [
    'has a snapshot without an ID',
    [snapshotOf('a', '')],
    'the driver answered with a snapshot of volume a that has no ID',
  ],
]
for (const [behaviour, snapshots, problem] of wrong)
  test(`an answer that ${behaviour} is never ready, and its handle is kept`, () => {
    const answer = judgeGroupAnswer(answerOf(...snapshots), ['a', 'b'], 0)
    deepEqual([answer?.problem, answer?.isReady, answer?.groupHandle, answer?.members], [problem, false, 'g', []])
  })

test('an answer without a group snapshot is none', () => {
  equal(judgeGroupAnswer(undefined, ['a'], 0), undefined)
  equal(judgeGroupAnswer({ ...answerOf(), groupSnapshotId: '' }, ['a'], 0), undefined)
})
