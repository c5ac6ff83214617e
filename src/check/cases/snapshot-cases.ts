import { join } from 'node:path'
import type { Snapshot } from '../../csi/index.ts'
import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { allSnapshots } from '../list-all.ts'
import { readBlock, readText, writeText } from '../look-at-path.ts'
import {
  blockCapability,
  createSnapshot,
  createVolume,
  createVolumeIfSupported,
  releaseVolume,
  useVolume,
  volumeRequest,
} from '../volume-steps.ts'
import type { CheckedVolume } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const CREATE = 'controller:CREATE_DELETE_VOLUME'
const NEEDS = [CREATE, 'controller:CREATE_DELETE_SNAPSHOT'] as const
const IDEMPOTENT =
  'This operation MUST be idempotent. If a snapshot corresponding to the specified snapshot `name` is successfully cut and ready to use (meaning it MAY be specified as a `volume_content_source` in a `CreateVolumeRequest`), and is usable from `accessibility_requirements`, the Plugin MUST reply `0 OK` with the corresponding `CreateSnapshotResponse`.'
export const POPULATED =
  'If specified, the new volume will be pre-populated with data from this source. … MUST provide a volume that, when presented to a workload by `NodePublish` call, has both the requested (larger) size and contains data from the snapshot (or original volume).'
const GONE =
  'This operation MUST be idempotent. If a snapshot corresponding to the specified `snapshot_id` does not exist or the artifacts associated with the snapshot do not exist anymore, the Plugin MUST reply `0 OK`.'

const fromSnapshot = ({ snapshotId }: Pick<Snapshot, 'snapshotId'>) => ({
  volumeContentSource: { type: { $case: 'snapshot' as const, value: { snapshotId } } },
})
/** Writes text into the volume on a node. */
export async function fill(check: CaseContext, volume: CheckedVolume, text: string): Promise<void> {
  const { path } = await useVolume(check, volume, { label: 'fill' })
  await writeText(check.host, join(path, 'data'), text)
  await releaseVolume(check, volume, path)
}

export async function expectContent(
  check: CaseContext,
  volume: CheckedVolume,
  text: string,
  what: string,
): Promise<void> {
  const { path } = await useVolume(check, volume, { label: 'look' })
  const found = await readText(check.host, join(path, 'data'))
  await releaseVolume(check, volume, path)
  check.expect(found === text, `${what} has the data of its source`, found === undefined ? 'no file' : 'other data')
}

export const SNAPSHOT_CASES: readonly Case[] = [
  {
    id: 'snapshot/complete',
    title: 'a snapshot has an ID, its source volume and the time of its creation',
    clause:
      'Timestamp when the point-in-time snapshot is taken on the storage system. This field is REQUIRED. … Identity information for the source volume. Note that creating a snapshot from a snapshot is not supported here so the source has to be a volume. This field is REQUIRED.',
    section: 'CreateSnapshot',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { snapshot } = await check.driver.createSnapshot({ name: check.name('s'), sourceVolumeId: volume.volumeId })
      check.expect((snapshot?.snapshotId ?? '') !== '', 'a snapshot_id', 'none')
      check.expect(
        snapshot?.sourceVolumeId === volume.volumeId,
        `source_volume_id ${volume.volumeId}`,
        String(snapshot?.sourceVolumeId),
      )
      check.expect((snapshot?.creationTime?.seconds ?? 0n) > 0n, 'a creation_time', 'none')
    },
  },
  {
    id: 'snapshot/repeat',
    title: 'CreateSnapshot with the same request returns the same snapshot',
    clause: IDEMPOTENT,
    section: 'CreateSnapshot',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const first = await createSnapshot(check, 's', volume)
      const again = await createSnapshot(check, 's', volume)
      check.expect(first.snapshotId === again.snapshotId, `snapshot_id ${first.snapshotId}`, again.snapshotId)
    },
  },
  {
    id: 'snapshot/conflict',
    title: 'a name that is in use for a snapshot of another volume is refused with ALREADY_EXISTS',
    clause: errorRow('Snapshot already exists but is incompatible | 6 ALREADY_EXISTS'),
    section: 'CreateSnapshot',
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      await createSnapshot(check, 's', await createVolume(check, 'a'))
      const other = await createVolume(check, 'b')
      await check.refuses('CreateSnapshot with a name in use', ['ALREADY_EXISTS'], () =>
        createSnapshot(check, 's', other),
      )
    },
  },
  {
    id: 'snapshot/unknown-volume',
    title: 'a snapshot of a volume that does not exist is refused',
    clause:
      'If the plugin is unable to complete the CreateSnapshot call successfully, it MUST return a non-ok gRPC code in the gRPC status.',
    section: 'CreateSnapshot',
    needs: NEEDS,
    run: async (check) => {
      const name = check.name('s')
      const reply = await check.driver.createSnapshot({ name, sourceVolumeId: check.absentId() }).catch(() => undefined)
      check.expect(reply === undefined, 'an error', 'OK')
    },
  },
  {
    id: 'snapshot/delete-repeat',
    title: 'DeleteSnapshot succeeds for a snapshot that does not exist',
    clause: GONE,
    section: 'DeleteSnapshot',
    needs: NEEDS,
    run: async (check) => void (await check.driver.deleteSnapshot({ snapshotId: check.absentId() })),
  },
  {
    id: 'snapshot/really-gone',
    title: 'a deleted snapshot is not listed any more',
    clause:
      'The Plugin SHALL return the information about all snapshots on the storage system within the given parameters regardless of how they were created.',
    section: 'ListSnapshots',
    needs: [...NEEDS, 'controller:LIST_SNAPSHOTS'],
    volumes: 1,
    run: async (check) => {
      const { snapshotId } = await createSnapshot(check, 's', await createVolume(check, 'a'))
      const isListed = async (): Promise<boolean> =>
        (await allSnapshots(check.driver)).some(({ snapshot }) => snapshot?.snapshotId === snapshotId)
      check.expect(await isListed(), `snapshot ${snapshotId} is listed`, 'it is not listed')
      await check.driver.deleteSnapshot({ snapshotId })
      check.expect(!(await isListed()), `snapshot ${snapshotId} is not listed after DeleteSnapshot`, 'it is listed')
    },
  },
  {
    id: 'snapshot/list-by-volume',
    title: 'ListSnapshots with source_volume_id returns the snapshots of this volume only',
    clause:
      'The Plugin SHALL return the information about all snapshots on the storage system within the given parameters regardless of how they were created. … It can be used to list snapshots by volume.',
    section: 'ListSnapshots',
    needs: [...NEEDS, 'controller:LIST_SNAPSHOTS'],
    volumes: 2,
    run: async (check) => {
      const [a, b] = [await createVolume(check, 'a'), await createVolume(check, 'b')]
      const own = await createSnapshot(check, 'sa', a)
      await createSnapshot(check, 'sb', b)
      const { entries } = await check.driver.listSnapshots({ sourceVolumeId: a.volumeId })
      const ids = entries.map(({ snapshot }) => snapshot?.snapshotId)
      check.expect(ids.length === 1 && ids[0] === own.snapshotId, own.snapshotId, ids.join() || 'nothing')
    },
  },
  {
    id: 'snapshot/list-by-id',
    title: 'ListSnapshots with snapshot_id returns this snapshot only',
    clause:
      'The Plugin SHALL return the information about all snapshots on the storage system within the given parameters regardless of how they were created. … It can be used to list only a specific snapshot.',
    section: 'ListSnapshots',
    needs: [...NEEDS, 'controller:LIST_SNAPSHOTS'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const own = await createSnapshot(check, 's1', volume)
      await createSnapshot(check, 's2', volume)
      const { entries } = await check.driver.listSnapshots({ snapshotId: own.snapshotId })
      const ids = entries.map(({ snapshot }) => snapshot?.snapshotId)
      check.expect(ids.length === 1 && ids[0] === own.snapshotId, own.snapshotId, ids.join() || 'nothing')
    },
  },
  {
    id: 'snapshot/list-pages',
    title: 'ListSnapshots returns at most max_entries and a token for the rest',
    clause: 'If specified (non-zero value), the Plugin MUST NOT return more entries than this number in the response.',
    section: 'ListSnapshots',
    needs: [...NEEDS, 'controller:LIST_SNAPSHOTS'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      for (const label of ['s1', 's2', 's3']) await createSnapshot(check, label, volume)
      const { entries, nextToken } = await check.driver.listSnapshots({ maxEntries: 2 })
      check.expect(entries.length <= 2, 'at most 2 snapshots', `${entries.length}`)
      check.expect(nextToken !== '', 'a next_token, because there are 3 snapshots', 'none')
    },
  },
  {
    id: 'snapshot/get',
    title: 'GetSnapshot returns the snapshot that was asked for',
    clause: 'A Controller Plugin MUST implement this `GetSnapshot` RPC call if it has `GET_SNAPSHOT` capability.',
    section: 'GetSnapshot',
    needs: [...NEEDS, 'controller:GET_SNAPSHOT'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const first = await createSnapshot(check, 's1', volume)
      const second = await createSnapshot(check, 's2', volume)
      for (const { snapshotId } of [first, second]) {
        const { snapshot } = await check.driver.getSnapshot({ snapshotId })
        check.expect(snapshot?.snapshotId === snapshotId, snapshotId, String(snapshot?.snapshotId))
      }
    },
  },
  {
    id: 'snapshot/get-unknown',
    title: 'GetSnapshot of a snapshot that does not exist fails with NOT_FOUND',
    clause: errorRow('Snapshot does not exist | 5 NOT_FOUND'),
    section: 'GetSnapshot',
    needs: ['controller:GET_SNAPSHOT'],
    run: (check) =>
      check.refuses('GetSnapshot', NO_SUCH_OBJECT, () => check.driver.getSnapshot({ snapshotId: check.absentId() })),
  },
  {
    id: 'restore/data',
    title: 'a volume from a snapshot has the data of the time of the snapshot',
    clause: POPULATED,
    section: 'CreateVolume',
    needs: [...NEEDS, 'node'],
    volumes: 2,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await fill(check, volume, 'before')
      const snapshot = await createSnapshot(check, 's', volume)
      await fill(check, volume, 'after')
      const restored = await createVolume(check, 'b', fromSnapshot(snapshot))
      await expectContent(check, restored, 'before', 'the restored volume')
    },
  },
  {
    id: 'restore/block-data',
    title: 'a block volume from a snapshot has the data of the snapshot',
    clause: POPULATED,
    section: 'CreateVolume',
    needs: [...NEEDS, 'node'],
    volumes: 2,
    run: async (check) => {
      const text = 'before'.padEnd(512, '.')
      const volume = await createVolumeIfSupported(check, 'a', blockCapability(), 'block volumes')
      const { path } = await useVolume(check, volume)
      const device = await check.host.files.resolve(path)
      await writeText(check.host, device, text)
      await check.host.files.sync(device)
      await releaseVolume(check, volume, path)
      const snapshot = await createSnapshot(check, 's', volume)
      const changes = { ...fromSnapshot(snapshot), volumeCapabilities: [blockCapability()] }
      const restored = await createVolume(check, 'b', changes)
      const look = await useVolume(check, restored, { label: 'look' })
      const found = await readBlock(check.host, look.path, 0n, text.length)
      check.expect(found === text, 'the data of the snapshot', 'other data')
    },
  },
  {
    id: 'restore/source-returned',
    title: 'a volume from a snapshot reports its content_source',
    clause:
      'Contains all attributes of the newly created volume that are relevant to the CO along with information required by the Plugin to uniquely identify the volume. This field is REQUIRED. … If specified, indicates that the volume is not empty and is pre-populated with data from the specified source.',
    section: 'CreateVolume',
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const snapshot = await createSnapshot(check, 's', await createVolume(check, 'a'))
      const { contentSource } = await createVolume(check, 'b', fromSnapshot(snapshot))
      check.expect(contentSource?.type?.$case === 'snapshot', 'content_source with the snapshot', 'none')
    },
  },
  {
    id: 'restore/unknown',
    title: 'a volume from a snapshot that does not exist is refused with NOT_FOUND',
    clause: errorRow('Source does not exist | 5 NOT_FOUND'),
    section: 'CreateVolume',
    needs: NEEDS,
    run: (check) =>
      check.refuses('CreateVolume from a missing snapshot', NO_SUCH_OBJECT, () =>
        check.driver.createVolume(volumeRequest(check, 'a', fromSnapshot({ snapshotId: check.absentId() }))),
      ),
  },
  {
    id: 'restore/too-small',
    title: 'a volume that is smaller than its snapshot is refused with OUT_OF_RANGE',
    clause: errorRow('Unsupported `capacity_range` | 11 OUT_OF_RANGE'),
    section: 'CreateVolume',
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const snapshot = await createSnapshot(check, 's', volume)
      if (snapshot.sizeBytes < 2n) check.skip('the driver does not report the size of snapshots')
      const limitBytes = snapshot.sizeBytes / 2n
      await check.refuses('CreateVolume smaller than the snapshot', ['OUT_OF_RANGE'], () =>
        createVolume(check, 'b', {
          ...fromSnapshot(snapshot),
          capacityRange: { requiredBytes: limitBytes, limitBytes },
        }),
      )
    },
  },
  {
    id: 'restore/without-volume',
    title: 'a snapshot outlives its volume, or the volume cannot be deleted',
    clause:
      'If the Controller Plugin supports deleting a volume without affecting its existing snapshots, then these snapshots MUST still be fully operational and acceptable as sources for new volumes as well as appear on `ListSnapshot` calls once the volume has been deleted.',
    section: 'DeleteVolume',
    needs: NEEDS,
    volumes: 2,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const snapshot = await createSnapshot(check, 's', volume)
      const deleted = await check.mayRefuse('DeleteVolume', ['FAILED_PRECONDITION'], () =>
        check.driver.deleteVolume({ volumeId: volume.volumeId }),
      )
      if (deleted) await createVolume(check, 'b', fromSnapshot(snapshot))
    },
  },
]
