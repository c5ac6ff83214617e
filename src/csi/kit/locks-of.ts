import type { Lock } from './lock-table.ts'
import type { CsiHandlers } from './handlers.ts'

// The requests of unary handlers, by method name.
type Requests = { [K in keyof CsiHandlers]-?: Parameters<NonNullable<CsiHandlers[K]>>[0] }
type LocksOf = { [K in keyof Requests]?: (request: Requests[K], node: string) => Lock[] }

const keyOf = (kind: string, id: string, node: string): string =>
  `${kind} ${id}${node === '' ? '' : ` on node ${node}`}`
const only = (kind: string, id: string, node = ''): Lock => ({ key: keyOf(kind, id, node), exclusive: true })
const shared = (kind: string, id: string, node = ''): Lock => ({ key: keyOf(kind, id, node), exclusive: false })

/**
 * The locks of each call. Calls that only read take none. Publishing to several targets or nodes may run concurrently, but not while the volume is
 * staged, expanded or deleted.
 */
export const LOCKS_OF: LocksOf = {
  createVolume: ({ name, volumeContentSource }) => {
    const source = volumeContentSource?.type
    const locks = [only('volume name', name)]
    if (source?.$case === 'snapshot') locks.push(shared('snapshot', source.value.snapshotId))
    if (source?.$case === 'volume') locks.push(shared('volume', source.value.volumeId))
    return locks
  },
  deleteVolume: ({ volumeId }) => [only('volume', volumeId)],
  controllerPublishVolume: ({ volumeId }) => [shared('volume', volumeId), only('attachments of volume', volumeId)],
  controllerUnpublishVolume: ({ volumeId }) => [shared('volume', volumeId), only('attachments of volume', volumeId)],
  controllerExpandVolume: ({ volumeId }) => [only('volume', volumeId)],
  controllerModifyVolume: ({ volumeId }) => [only('volume', volumeId)],
  createSnapshot: ({ name, sourceVolumeId }) => [only('snapshot name', name), shared('volume', sourceVolumeId)],
  deleteSnapshot: ({ snapshotId }) => [only('snapshot', snapshotId)],
  createVolumeGroupSnapshot: ({ name, sourceVolumeIds }) => [
    only('group snapshot name', name),
    ...new Set(sourceVolumeIds).keys().map((id) => shared('volume', id)),
  ],
  deleteVolumeGroupSnapshot: ({ groupSnapshotId, snapshotIds }) => [
    only('group snapshot', groupSnapshotId),
    ...new Set(snapshotIds).keys().map((id) => only('snapshot', id)),
  ],
  nodeStageVolume: ({ volumeId }, node) => [shared('volume', volumeId), only('staging of volume', volumeId, node)],
  nodeUnstageVolume: ({ volumeId }, node) => [shared('volume', volumeId), only('staging of volume', volumeId, node)],
  nodeExpandVolume: ({ volumeId }, node) => [shared('volume', volumeId), only('staging of volume', volumeId, node)],
  nodePublishVolume: ({ volumeId, targetPath }, node) => [
    shared('volume', volumeId),
    shared('staging of volume', volumeId, node),
    only('target', targetPath, node),
  ],
  nodeUnpublishVolume: ({ volumeId, targetPath }, node) => [
    shared('volume', volumeId),
    shared('staging of volume', volumeId, node),
    only('target', targetPath, node),
  ],
}
