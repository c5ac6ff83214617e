import { CsiError } from '../../csi/csi-error.ts'
import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { writeText } from '../look-at-path.ts'
import {
  blockCapability,
  createSnapshot,
  createVolume,
  createVolumeIfSupported,
  releaseVolume,
  useVolume,
} from '../volume-steps.ts'
import type { CheckedVolume } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT'] as const
const METADATA = [
  'controller:CREATE_DELETE_VOLUME',
  'controller:CREATE_DELETE_SNAPSHOT',
  'plugin:SNAPSHOT_METADATA_SERVICE',
  'node',
] as const
const SECTION = 'CreateVolumeGroupSnapshot'

async function createGroup(check: CaseContext, label: string, volumes: readonly CheckedVolume[]) {
  const sourceVolumeIds = volumes.map(({ volumeId }) => volumeId)
  const { groupSnapshot } = await check.driver.createVolumeGroupSnapshot({ name: check.name(label), sourceVolumeIds })
  return groupSnapshot ?? { groupSnapshotId: '', snapshots: [], creationTime: undefined, readyToUse: false }
}
const twoVolumes = async (check: CaseContext): Promise<CheckedVolume[]> => [
  await createVolume(check, 'a'),
  await createVolume(check, 'b'),
]

export const GROUP_CASES: readonly Case[] = [
  {
    id: 'group/complete',
    title: 'a group snapshot has an ID, a time, and one snapshot of each volume',
    clause:
      'A list of snapshots belonging to this group. This field is REQUIRED. … Timestamp of when the volume group snapshot was taken. This field is REQUIRED.',
    section: SECTION,
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const volumes = await twoVolumes(check)
      const group = await createGroup(check, 'g', volumes)
      check.expect(group.groupSnapshotId !== '', 'a group_snapshot_id', 'none')
      check.expect((group.creationTime?.seconds ?? 0n) > 0n, 'a creation_time', 'none')
      const sources = group.snapshots.map(({ sourceVolumeId }) => sourceVolumeId)
      const isComplete = sources.length === 2 && volumes.every(({ volumeId }) => sources.includes(volumeId))
      check.expect(isComplete, 'a snapshot of each of the 2 volumes', `snapshots of ${sources.join() || 'nothing'}`)
    },
  },
  {
    id: 'group/members',
    title: 'the snapshots of a group have its group_snapshot_id',
    clause:
      'If this message is inside a VolumeGroupSnapshot message, the value MUST be the same as the group_snapshot_id in that message.',
    section: 'CreateSnapshot',
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const { groupSnapshotId, snapshots } = await createGroup(check, 'g', await twoVolumes(check))
      for (const snapshot of snapshots)
        check.expect(snapshot.groupSnapshotId === groupSnapshotId, groupSnapshotId, snapshot.groupSnapshotId || 'none')
    },
  },
  {
    id: 'group/repeat',
    title: 'CreateVolumeGroupSnapshot with the same request returns the same group snapshot',
    clause:
      'Note that calls to this function MUST be idempotent - the function may be called multiple times for the same name, with the same `source_volume_ids` and `parameters` - the group snapshot MUST only be created once.',
    section: SECTION,
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const volumes = await twoVolumes(check)
      const first = await createGroup(check, 'g', volumes)
      const again = await createGroup(check, 'g', volumes)
      check.expect(first.groupSnapshotId === again.groupSnapshotId, first.groupSnapshotId, again.groupSnapshotId)
    },
  },
  {
    id: 'group/conflict',
    title: 'a name that is in use for other volumes is refused with ALREADY_EXISTS',
    clause: errorRow('Group snapshot already exists but is incompatible | 6 ALREADY_EXISTS'),
    section: SECTION,
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const [first, second] = await twoVolumes(check)
      if (!first || !second) return
      await createGroup(check, 'g', [first])
      await check.refuses('CreateVolumeGroupSnapshot with a name in use', ['ALREADY_EXISTS'], () =>
        createGroup(check, 'g', [second]),
      )
    },
  },
  {
    id: 'group/get',
    title: 'GetVolumeGroupSnapshot returns the group snapshot with its snapshots',
    clause:
      'A Controller Plugin MUST implement this `GetVolumeGroupSnapshot` RPC call if it has `CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT` capability.',
    section: 'GetVolumeGroupSnapshot',
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const group = await createGroup(check, 'g', await twoVolumes(check))
      const snapshotIds = group.snapshots.map(({ snapshotId }) => snapshotId)
      const { groupSnapshot } = await check.driver.getVolumeGroupSnapshot({
        groupSnapshotId: group.groupSnapshotId,
        snapshotIds,
      })
      const found = groupSnapshot?.snapshots.map(({ snapshotId }) => snapshotId).sort() ?? []
      check.expect(
        found.join() === snapshotIds.sort().join(),
        `snapshots ${snapshotIds.join()}`,
        found.join() || 'none',
      )
    },
  },
  {
    id: 'group/get-unknown',
    title: 'GetVolumeGroupSnapshot of a group snapshot that does not exist fails with NOT_FOUND',
    clause: errorRow('Volume group snapshot does not exist | 5 NOT_FOUND'),
    section: 'GetVolumeGroupSnapshot',
    needs: NEEDS,
    run: (check) =>
      check.refuses('GetVolumeGroupSnapshot', NO_SUCH_OBJECT, () =>
        check.driver.getVolumeGroupSnapshot({ groupSnapshotId: check.absentId(), snapshotIds: [check.absentId()] }),
      ),
  },
  {
    id: 'group/delete-repeat',
    title: 'DeleteVolumeGroupSnapshot succeeds for a group snapshot that does not exist',
    clause:
      'This operation MUST be idempotent. If a group snapshot corresponding to the specified `group_snapshot_id` does not exist or the artifacts associated with the group snapshot do not exist anymore, the Plugin MUST reply `0 OK`.',
    section: 'DeleteVolumeGroupSnapshot',
    needs: NEEDS,
    run: async (check) => {
      const request = { groupSnapshotId: check.absentId(), snapshotIds: [check.absentId()] }
      await check.driver.deleteVolumeGroupSnapshot(request)
    },
  },
  {
    id: 'metadata/allocated',
    title: 'GetMetadataAllocated reports the blocks that were written',
    clause: 'In normal operation an SP MUST terminate the stream only after ALL metadata is transmitted',
    section: 'Special considerations for processing a snapshot metadata gRPC stream',
    needs: METADATA,
    volumes: 1,
    run: async (check) => {
      const volume = await writtenBlockVolume(check, 'x')
      const { snapshotId } = await createSnapshot(check, 's', volume)
      const ranges = await rangesOf(check.driver.getMetadataAllocated({ snapshotId }))
      const isCovered = ranges.some(({ byteOffset, sizeBytes }) => byteOffset === 0n && sizeBytes > 0n)
      check.expect(isCovered, 'a range that begins at byte 0, which was written', `${ranges.length} other ranges`)
    },
  },
  {
    id: 'metadata/offset',
    title: 'GetMetadataAllocated returns no range before starting_offset',
    clause: 'The SP MUST respect the value of starting_offset in the request.',
    section: 'GetMetadataAllocated',
    needs: METADATA,
    volumes: 1,
    run: async (check) => {
      const volume = await writtenBlockVolume(check, 'x')
      const { snapshotId } = await createSnapshot(check, 's', volume)
      const startingOffset = volume.capacityBytes / 2n
      const ranges = await rangesOf(check.driver.getMetadataAllocated({ snapshotId, startingOffset }))
      const early = ranges.find(({ byteOffset, sizeBytes }) => byteOffset + sizeBytes <= startingOffset)
      check.expect(!early, `no range that ends before ${startingOffset}`, `a range at ${early?.byteOffset}`)
    },
  },
  {
    id: 'metadata/delta',
    title: 'GetMetadataDelta reports the blocks that were written between two snapshots',
    clause: 'In normal operation an SP MUST terminate the stream only after ALL metadata is transmitted',
    section: 'Special considerations for processing a snapshot metadata gRPC stream',
    needs: METADATA,
    volumes: 1,
    run: async (check) => {
      const volume = await writtenBlockVolume(check, 'x')
      const base = await createSnapshot(check, 's1', volume)
      await write(check, volume, 'y')
      const target = await createSnapshot(check, 's2', volume)
      const request = { baseSnapshotId: base.snapshotId, targetSnapshotId: target.snapshotId }
      const ranges = await rangesOf(check.driver.getMetadataDelta(request))
      check.expect(
        ranges.some(({ byteOffset }) => byteOffset === 0n),
        'a range that begins at byte 0',
        'none',
      )
    },
  },
  {
    id: 'metadata/unknown',
    title: 'GetMetadataAllocated of a snapshot that does not exist fails with NOT_FOUND',
    clause:
      'If the SP encounters an error while recovering the metadata it MUST abort transmission of the stream with its language specific error idiom.',
    section: 'Special considerations for processing a snapshot metadata gRPC stream',
    needs: ['plugin:SNAPSHOT_METADATA_SERVICE'],
    run: async (check) => {
      try {
        await rangesOf(check.driver.getMetadataAllocated({ snapshotId: check.absentId() }))
      } catch (error) {
        if (error instanceof CsiError) return
        throw error
      }
      check.expect(false, 'an error', 'an empty stream')
    },
  },
]

type Range = { byteOffset: bigint; sizeBytes: bigint }

async function rangesOf(stream: AsyncIterable<{ blockMetadata: Range[] }>): Promise<Range[]> {
  const ranges: Range[] = []
  for await (const { blockMetadata } of stream) ranges.push(...blockMetadata)
  return ranges
}

async function writtenBlockVolume(check: CaseContext, letter: string): Promise<CheckedVolume> {
  const volume = await createVolumeIfSupported(check, 'a', blockCapability(), 'block volumes')
  await write(check, volume, letter)
  return volume
}

async function write(check: CaseContext, volume: CheckedVolume, letter: string): Promise<void> {
  const { path } = await useVolume(check, volume)
  const device = await check.host.files.resolve(path)
  await writeText(check.host, device, letter.repeat(4096))
  await check.host.files.sync(device)
  await releaseVolume(check, volume, path)
}
