import { join } from 'node:path'
import { copyTree, removeTree } from '../../../base/host/index.ts'
import { CsiError, isCsiError } from '../../../csi/csi-error.ts'
import { contentPath } from '../../../drivers/hostpath/content.ts'
import type { Fault, Plant } from '../fault.ts'
import { contentFolder } from './node-tricks.ts'

async function emptyDirectory({ host }: Plant, directory: string): Promise<void> {
  for (const { name } of await host.files.list(directory)) await removeTree(host, join(directory, name))
}

const emptyNewVolume =
  (kind: 'snapshot' | 'volume'): NonNullable<Fault['handlers']> =>
  (plant) => ({
    createVolume: async (request) => {
      const response = await plant.real.createVolume(request)
      const content = contentFolder(plant, response.volume?.volumeId ?? '')
      if (request.volumeContentSource?.type?.$case === kind && content) await emptyDirectory(plant, content)
      return response
    },
  })

export const SNAPSHOT_FAULTS: readonly Fault[] = [
  {
    id: 'snapshot-made-twice',
    does: 'takes another snapshot each time it gets the same name',
    issue: 'https://github.com/container-storage-interface/spec/issues/447',
    handlers: ({ real }) => {
      let count = 0
      return {
        createSnapshot: (request) => real.createSnapshot({ ...request, name: `${request.name}-${(count += 1)}` }),
      }
    },
  },
  {
    id: 'snapshot-conflict-has-wrong-code',
    does: 'answers INTERNAL if a snapshot name is used for another volume',
    issue: 'https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/119',
    handlers: ({ real }) => ({
      createSnapshot: async (request) => {
        try {
          return await real.createSnapshot(request)
        } catch (error) {
          if (isCsiError(error, 'ALREADY_EXISTS')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'snapshot-without-time',
    does: 'returns a snapshot without creation_time',
    issue: 'https://github.com/IBM/ibm-spectrum-scale-csi/issues/249',
    handlers: ({ real }) => ({
      createSnapshot: async (request) => {
        const { snapshot } = await real.createSnapshot(request)
        return { snapshot: snapshot && { ...snapshot, creationTime: undefined } }
      },
    }),
  },
  {
    id: 'snapshot-of-missing-volume-accepted',
    does: 'reports success for a snapshot of a volume that does not exist',
    handlers: ({ real, hostpath, clock }) => ({
      createSnapshot: (request) =>
        request.name !== '' && request.sourceVolumeId !== '' && !hostpath.volumes.find(request.sourceVolumeId)
          ? Promise.resolve({
              snapshot: {
                snapshotId: `snap-${request.name}`,
                sourceVolumeId: request.sourceVolumeId,
                creationTime: { seconds: BigInt(Math.floor(clock.nowMs() / 1000)), nanos: 0 },
                readyToUse: true,
              },
            })
          : real.createSnapshot(request),
    }),
  },
  {
    id: 'snapshot-has-other-source',
    does: 'returns a snapshot with the wrong source_volume_id',
    handlers: ({ real }) => ({
      createSnapshot: async (request) => {
        const { snapshot } = await real.createSnapshot(request)
        return { snapshot: snapshot && { ...snapshot, sourceVolumeId: snapshot.snapshotId } }
      },
    }),
  },
  {
    id: 'delete-missing-snapshot-fails',
    does: 'answers DeleteSnapshot of a missing snapshot with NOT_FOUND',
    issue: 'https://github.com/ceph/ceph-csi/issues/202',
    handlers: ({ real, hostpath }) => ({
      deleteSnapshot: (request) => {
        if (request.snapshotId !== '' && !hostpath.findSnapshot(request.snapshotId))
          throw new CsiError('NOT_FOUND', 'no such snapshot')
        return real.deleteSnapshot(request)
      },
    }),
  },
  {
    id: 'delete-snapshot-leaks',
    does: 'reports success for DeleteSnapshot and keeps the snapshot',
    handlers: ({ real }) => ({
      deleteSnapshot: (request) => (request.snapshotId === '' ? real.deleteSnapshot(request) : Promise.resolve({})),
    }),
  },
  {
    id: 'snapshot-dies-with-its-volume',
    does: 'deletes the snapshots of a volume together with the volume',
    handlers: ({ real, hostpath }) => ({
      deleteVolume: async (request) => {
        const mine = [...hostpath.snapshots.all()].filter(({ sourceVolumeId }) => sourceVolumeId === request.volumeId)
        const response = await real.deleteVolume(request)
        for (const { id } of mine) await real.deleteSnapshot({ snapshotId: id })
        return response
      },
    }),
  },
  {
    id: 'snapshot-follows-its-volume',
    does: 'restores what is in the volume now, not what was in it when the snapshot was taken',
    handlers: (plant) => ({
      createVolume: async (request) => {
        const response = await plant.real.createVolume(request)
        const type = request.volumeContentSource?.type
        const source =
          type?.$case === 'snapshot' ? plant.hostpath.findSnapshot(type.value.snapshotId)?.record : undefined
        const from = source && contentFolder(plant, source.sourceVolumeId)
        const to = contentFolder(plant, response.volume?.volumeId ?? '')
        if (from && to) {
          await removeTree(plant.host, to)
          await copyTree(plant.host.files, from, to)
        }
        return response
      },
    }),
  },
  {
    id: 'restored-volume-is-empty',
    does: 'creates an empty volume from a snapshot',
    issue: 'https://github.com/home-operations/miroir/pull/373',
    handlers: emptyNewVolume('snapshot'),
  },
  {
    id: 'clone-is-empty',
    does: 'creates an empty volume as a clone',
    issue: 'https://github.com/democratic-csi/democratic-csi/issues/316',
    handlers: emptyNewVolume('volume'),
  },
  {
    id: 'clone-changes-its-source',
    does: 'shares the data of a clone with its source',
    handlers: (plant) => ({
      nodeUnpublishVolume: async (request) => {
        const response = await plant.real.nodeUnpublishVolume(request)
        const source = plant.hostpath.volumes.find(request.volumeId)?.source
        const to = source?.kind === 'volume' ? contentFolder(plant, source.id) : undefined
        const from = contentFolder(plant, request.volumeId)
        if (from && to) {
          await emptyDirectory(plant, to)
          for (const { name } of await plant.host.files.list(from))
            await copyTree(plant.host.files, join(from, name), join(to, name))
        }
        return response
      },
    }),
  },
  {
    id: 'restore-into-smaller-volume-accepted',
    does: 'restores a snapshot into a volume that is smaller than the snapshot',
    issue: 'https://github.com/ceph/ceph-csi/pull/3183',
    handlers: ({ real }) => ({
      createVolume: async (request) => {
        if (!request.volumeContentSource || !request.capacityRange) return real.createVolume(request)
        const { volume } = await real.createVolume({ ...request, capacityRange: undefined })
        const { requiredBytes, limitBytes } = request.capacityRange
        return { volume: volume && { ...volume, capacityBytes: requiredBytes || limitBytes } }
      },
    }),
  },
  {
    id: 'list-snapshots-ignores-source',
    does: 'returns all snapshots from ListSnapshots although source_volume_id is set',
    issue: 'https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/641',
    handlers: ({ real }) => ({
      listSnapshots: (request) => real.listSnapshots({ ...request, sourceVolumeId: '' }),
    }),
  },
  {
    id: 'list-snapshots-ignores-id',
    does: 'returns all snapshots from ListSnapshots although snapshot_id is set',
    issue: 'https://github.com/digitalocean/csi-digitalocean/pull/299',
    handlers: ({ real }) => ({ listSnapshots: (request) => real.listSnapshots({ ...request, snapshotId: '' }) }),
  },
  {
    id: 'get-snapshot-returns-another',
    does: 'returns an arbitrary snapshot from GetSnapshot',
    handlers: ({ real, hostpath }) => ({
      getSnapshot: (request) => {
        const other = hostpath.allSnapshots().find(({ id }) => id !== request.snapshotId)
        return real.getSnapshot(other && hostpath.findSnapshot(request.snapshotId) ? { snapshotId: other.id } : request)
      },
    }),
  },
  {
    id: 'metadata-misses-blocks',
    does: 'leaves out the first allocated block in GetMetadataAllocated',
    handlers: ({ real }) => ({
      getMetadataAllocated: async function* (request) {
        for await (const message of real.getMetadataAllocated(request))
          yield { ...message, blockMetadata: message.blockMetadata.filter(({ byteOffset }) => byteOffset !== 0n) }
      },
    }),
  },
  {
    id: 'metadata-ignores-offset',
    does: 'starts GetMetadataAllocated at the beginning, whatever starting_offset says',
    handlers: ({ real }) => ({
      getMetadataAllocated: async function* (request) {
        yield* real.getMetadataAllocated({ ...request, startingOffset: 0n })
      },
    }),
  },
  {
    id: 'delta-is-empty',
    does: 'reports no difference between two snapshots that differ',
    handlers: ({ real }) => ({
      getMetadataDelta: async function* (request) {
        for await (const message of real.getMetadataDelta(request)) yield { ...message, blockMetadata: [] }
      },
    }),
  },
  {
    id: 'group-made-twice',
    does: 'takes another group snapshot each time it gets the same name',
    handlers: ({ real }) => {
      let count = 0
      return {
        createVolumeGroupSnapshot: (request) =>
          real.createVolumeGroupSnapshot({ ...request, name: `${request.name}-${(count += 1)}` }),
      }
    },
  },
  {
    id: 'group-misses-a-volume',
    does: 'leaves one volume out of a group snapshot',
    handlers: ({ real }) => ({
      createVolumeGroupSnapshot: async (request) => {
        const { groupSnapshot } = await real.createVolumeGroupSnapshot(request)
        return { groupSnapshot: groupSnapshot && { ...groupSnapshot, snapshots: groupSnapshot.snapshots.slice(1) } }
      },
    }),
  },
  {
    id: 'group-conflict-accepted',
    does: 'returns the old group snapshot if its name is used for other volumes',
    handlers: ({ real, hostpath }) => ({
      createVolumeGroupSnapshot: (request) => {
        const existing = hostpath.groups.findByName(request.name)
        return real.createVolumeGroupSnapshot(
          existing && request.sourceVolumeIds.length > 0
            ? { ...request, sourceVolumeIds: existing.snapshots.map(({ sourceVolumeId }) => sourceVolumeId) }
            : request,
        )
      },
    }),
  },
  {
    id: 'group-members-without-group',
    does: 'returns the snapshots of a group without group_snapshot_id',
    issue: 'https://github.com/kubernetes-csi/external-snapshotter/pull/1046',
    handlers: ({ real }) => ({
      createVolumeGroupSnapshot: async (request) => {
        const { groupSnapshot } = await real.createVolumeGroupSnapshot(request)
        const snapshots = groupSnapshot?.snapshots.map((snapshot) => ({ ...snapshot, groupSnapshotId: '' })) ?? []
        return { groupSnapshot: groupSnapshot && { ...groupSnapshot, snapshots } }
      },
    }),
  },
  {
    id: 'delete-missing-group-fails',
    does: 'answers DeleteVolumeGroupSnapshot of a missing group snapshot with NOT_FOUND',
    handlers: ({ real, hostpath }) => ({
      deleteVolumeGroupSnapshot: (request) => {
        if (request.groupSnapshotId !== '' && !hostpath.groups.find(request.groupSnapshotId))
          throw new CsiError('NOT_FOUND', 'no such group snapshot')
        return real.deleteVolumeGroupSnapshot(request)
      },
    }),
  },
  {
    id: 'missing-group-has-wrong-code',
    does: 'answers GetVolumeGroupSnapshot of a missing group snapshot with INTERNAL',
    handlers: ({ real }) => ({
      getVolumeGroupSnapshot: async (request) => {
        try {
          return await real.getVolumeGroupSnapshot(request)
        } catch (error) {
          if (isCsiError(error, 'NOT_FOUND')) throw new CsiError('INTERNAL', error.detail)
          throw error
        }
      },
    }),
  },
  {
    id: 'snapshot-block-content-lost',
    does: 'zeroes the content of a block volume that is restored from a snapshot',
    handlers: (plant) => ({
      createVolume: async (request) => {
        const response = await plant.real.createVolume(request)
        const id = response.volume?.volumeId ?? ''
        const volume = plant.hostpath.volumes.find(id)
        if (request.volumeContentSource && volume?.mode === 'block') {
          const image = contentPath(plant.hostpath.volumes.folder(id), 'block')
          await plant.host.files.truncate(image, 0n)
          await plant.host.files.truncate(image, volume.sizeBytes)
        }
        return response
      },
    }),
  },
]
