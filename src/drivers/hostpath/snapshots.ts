import { join } from 'node:path'
import { createUuid } from '../../base/random.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { DeepPartial, Snapshot, VolumeGroupSnapshot } from '../../csi/generated/csi/v1/csi.ts'
import { pageOf } from '../../csi/kit/index.ts'
import type { CsiHandlers, LockTable } from '../../csi/kit/index.ts'
import { copyContent } from './content.ts'
import { groupContentKey, hold } from './hold.ts'
import type { Hostpath } from './hostpath.ts'
import { isId } from './records.ts'
import type { GroupRecord, SnapshotRecord, VolumeRecord } from './records.ts'
import { sameMap } from './same-map.ts'
import { placesOf, requirePlace } from './topology.ts'

/** Snapshots of one volume, and of several at once. A snapshot is a full copy and survives its volume. */
export function createSnapshotHandlers(hostpath: Hostpath, locks: LockTable): CsiHandlers {
  const { volumes, snapshots, groups, nodes, parts, requireVolume } = hostpath
  const { files } = parts.host

  const recordOf = (volume: VolumeRecord, name: string, groupId: string): SnapshotRecord => ({
    id: createUuid(parts.random),
    name,
    sourceVolumeId: volume.id,
    sizeBytes: volume.sizeBytes,
    mode: volume.mode,
    createdAtMs: parts.clock.nowMs(),
    groupId,
  })
  const copyVolume = (volume: VolumeRecord, folder: string): Promise<void> =>
    copyContent(files, volumes.folder(volume.id), folder, volume.mode, volume.sizeBytes)

  // All nodes share the data directory, so a volume can be restored for each of them.
  const toSnapshot = (record: SnapshotRecord): DeepPartial<Snapshot> => ({
    ...snapshotOf(record),
    accessibleTopology: placesOf(nodes.values()).map((segments) => ({ segments })),
  })
  const toGroup = ({ id, snapshots: members, createdAtMs }: GroupRecord): DeepPartial<VolumeGroupSnapshot> => ({
    groupSnapshotId: id,
    snapshots: members.map(toSnapshot),
    creationTime: timestampOf(createdAtMs),
    readyToUse: true,
  })

  const createSnapshot: CsiHandlers['createSnapshot'] = async (request) => {
    const { name, sourceVolumeId, accessibilityRequirements } = request
    requirePlace(accessibilityRequirements, nodes.values())
    // A caller that requests a topology already knows it. csi-sanity 5.6 would even see equal topologies as different, because it compares Go
    // structures.
    const answerOf = accessibilityRequirements ? snapshotOf : toSnapshot
    const existing = snapshots.findByName(name)
    if (existing) {
      if (existing.sourceVolumeId !== sourceVolumeId) {
        throw new CsiError('ALREADY_EXISTS', `snapshot ${name} already exists for volume ${existing.sourceVolumeId}`)
      }
      await snapshots.confirm()
      return { snapshot: answerOf(existing) }
    }
    const volume = requireVolume(sourceVolumeId)
    const record = recordOf(volume, name, '')
    using _reserved = hostpath.reserve(volume.sizeBytes)
    await snapshots.add(record, (folder) => copyVolume(volume, folder))
    return { snapshot: answerOf(record) }
  }

  const deleteSnapshot: CsiHandlers['deleteSnapshot'] = async ({ snapshotId }) => {
    if (!isId(snapshotId)) return {}
    const groupId = hostpath.findSnapshot(snapshotId)?.record.groupId
    if (groupId)
      throw new CsiError(
        'INVALID_ARGUMENT',
        `snapshot ${snapshotId} belongs to group snapshot ${groupId}: delete that instead`,
      )
    await snapshots.remove(snapshotId)
    return {}
  }

  const listSnapshots: CsiHandlers['listSnapshots'] = async (request) => {
    const { snapshotId, sourceVolumeId } = request
    const matching = hostpath
      .allSnapshots()
      .filter((snapshot) => snapshotId === '' || snapshot.id === snapshotId)
      .filter((snapshot) => sourceVolumeId === '' || snapshot.sourceVolumeId === sourceVolumeId)
    const page = pageOf(matching, ({ id }) => id, request)
    return { entries: page.entries.map((snapshot) => ({ snapshot: toSnapshot(snapshot) })), nextToken: page.nextToken }
  }

  const getSnapshot: CsiHandlers['getSnapshot'] = async ({ snapshotId }) => {
    const found = hostpath.findSnapshot(snapshotId)
    if (!found) throw new CsiError('NOT_FOUND', `snapshot ${snapshotId} does not exist`)
    return { snapshot: toSnapshot(found.record) }
  }

  const createVolumeGroupSnapshot: CsiHandlers['createVolumeGroupSnapshot'] = async ({
    name,
    sourceVolumeIds,
    parameters,
  }) => {
    const ids = new Set(sourceVolumeIds)
    const existing = groups.findByName(name)
    if (existing) {
      const sources = new Set(existing.snapshots.map(({ sourceVolumeId }) => sourceVolumeId))
      if (sources.symmetricDifference(ids).size > 0)
        throw new CsiError('ALREADY_EXISTS', `group snapshot ${name} already exists for other volumes`)
      if (!sameMap(existing.parameters, parameters))
        throw new CsiError('ALREADY_EXISTS', `group snapshot ${name} already exists with different parameters`)
      await groups.confirm()
      return { groupSnapshot: toGroup(existing) }
    }
    const members = Array.from(ids, requireVolume)
    const id = createUuid(parts.random)
    const record: GroupRecord = {
      id,
      name,
      createdAtMs: parts.clock.nowMs(),
      parameters,
      snapshots: members.map((volume) => recordOf(volume, '', id)),
    }
    using _reserved = hostpath.reserve(members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n))
    await groups.add(record, async (folder) => {
      for (const [index, volume] of members.entries()) {
        const inner = join(folder, record.snapshots[index]?.id ?? '')
        await files.makeDirectory(inner, 0o700)
        await copyVolume(volume, inner)
        await files.sync(inner)
      }
    })
    return { groupSnapshot: toGroup(record) }
  }

  // This driver knows the members itself; members in the request must match them.
  const requireMembers = (group: GroupRecord, snapshotIds: readonly string[]): void => {
    if (snapshotIds.length === 0) return
    const members = new Set(group.snapshots.map(({ id }) => id))
    const stranger = snapshotIds.find((id) => !members.has(id))
    if (stranger !== undefined)
      throw new CsiError('INVALID_ARGUMENT', `snapshot ${stranger} is not in group snapshot ${group.id}`)
    if (new Set(snapshotIds).size < members.size)
      throw new CsiError('INVALID_ARGUMENT', `snapshot_ids: group snapshot ${group.id} has ${members.size} snapshots`)
  }

  const deleteVolumeGroupSnapshot: CsiHandlers['deleteVolumeGroupSnapshot'] = async ({
    groupSnapshotId,
    snapshotIds,
  }) => {
    if (!isId(groupSnapshotId)) return {}
    const group = groups.find(groupSnapshotId)
    if (group) requireMembers(group, snapshotIds)
    // A member that is being restored must not be deleted, even if the request does not list it.
    using _content = hold(locks, groupContentKey(groupSnapshotId))
    await groups.remove(groupSnapshotId)
    return {}
  }

  const getVolumeGroupSnapshot: CsiHandlers['getVolumeGroupSnapshot'] = async ({ groupSnapshotId, snapshotIds }) => {
    const group = groups.find(groupSnapshotId)
    if (!group) throw new CsiError('NOT_FOUND', `group snapshot ${groupSnapshotId} does not exist`)
    requireMembers(group, snapshotIds)
    return { groupSnapshot: toGroup(group) }
  }

  return {
    createSnapshot,
    deleteSnapshot,
    listSnapshots,
    getSnapshot,
    createVolumeGroupSnapshot,
    deleteVolumeGroupSnapshot,
    getVolumeGroupSnapshot,
  }
}

const timestampOf = (ms: number): { seconds: bigint; nanos: number } => ({
  seconds: BigInt(Math.floor(ms / 1000)),
  nanos: Math.floor(ms % 1000) * 1e6,
})

const snapshotOf = ({
  id,
  sourceVolumeId,
  sizeBytes,
  createdAtMs,
  groupId,
}: SnapshotRecord): DeepPartial<Snapshot> => ({
  snapshotId: id,
  sourceVolumeId,
  sizeBytes,
  creationTime: timestampOf(createdAtMs),
  readyToUse: true,
  groupSnapshotId: groupId,
})
