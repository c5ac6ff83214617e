import type { VolumeGroupSnapshot } from '../../csi/generated/csi/v1/csi.ts'
import type { GroupAnswer } from './group-content-view.ts'
import { nanosecondsOf } from './nanoseconds-of.ts'

/**
 * Checks a driver's response about a group snapshot. `sources`: the requested volumes; undefined if an existing group snapshot was requested.
 * Undefined if the response has no group snapshot at all.
 */
export function judgeGroupAnswer(
  answered: VolumeGroupSnapshot | undefined,
  sources: readonly string[] | undefined,
  nowMs: number,
): GroupAnswer | undefined {
  if (!answered?.groupSnapshotId) return undefined
  const { groupSnapshotId: groupHandle, snapshots, creationTime, readyToUse } = answered
  const problem = sources && findProblem(snapshots, sources)
  return {
    groupHandle,
    creationTimeMs: Number(nanosecondsOf(creationTime, nowMs) / 1_000_000n),
    isReady: readyToUse && problem === undefined,
    members:
      problem === undefined
        ? snapshots.map((snapshot) => ({
            volumeHandle: snapshot.sourceVolumeId,
            snapshotHandle: snapshot.snapshotId,
            creationTimeNs: nanosecondsOf(snapshot.creationTime, nowMs),
            sizeBytes: snapshot.sizeBytes,
            isReady: snapshot.readyToUse,
          }))
        : [],
    ...(problem === undefined ? {} : { problem }),
  }
}

/** Each volume must have exactly one snapshot, and no other volume any. */
function findProblem(snapshots: VolumeGroupSnapshot['snapshots'], sources: readonly string[]): string | undefined {
  const wanted = new Set(sources)
  const answered = new Set<string>()
  for (const { snapshotId, sourceVolumeId } of snapshots) {
    if (!snapshotId) return `the driver answered with a snapshot of volume ${sourceVolumeId} that has no ID`
    if (!wanted.has(sourceVolumeId))
      return `the driver answered with snapshot ${snapshotId} of volume ${sourceVolumeId}, which is not in the group`
    if (answered.has(sourceVolumeId)) return `the driver answered with two snapshots of volume ${sourceVolumeId}`
    answered.add(sourceVolumeId)
  }
  const missing = sources.find((source) => !answered.has(source))
  return missing === undefined ? undefined : `the driver answered without a snapshot of volume ${missing}`
}
