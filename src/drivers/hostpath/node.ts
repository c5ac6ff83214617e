import { CsiError } from '../../csi/csi-error.ts'
import {
  VolumeCapability_AccessMode_Mode as AccessMode,
  VolumeUsage_Unit as Unit,
} from '../../csi/generated/csi/v1/csi.ts'
import type { NodePublishVolumeRequest } from '../../csi/generated/csi/v1/csi.ts'
import { fitsCapacity } from '../../csi/kit/index.ts'
import type { CsiHandlers, LockTable } from '../../csi/kit/index.ts'
import { findAttachment, isReader, requireMode, useOf } from './attachments.ts'
import { createPathCheck } from './check-path.ts'
import { contentPath } from './content.ts'
import { createEphemeralVolumes } from './ephemeral-volumes.ts'
import { conditionOf, findContentProblems } from './health.ts'
import { hold } from './hold.ts'
import type { Hostpath, ServedNode } from './hostpath.ts'
import type { Content, Publisher } from './publisher.ts'
import { sameUse } from './records.ts'
import type { NodeRecord, Use, VolumeRecord } from './records.ts'
import { treeUsage } from './tree-usage.ts'

const EPHEMERAL_KEY = 'csi.storage.k8s.io/ephemeral'

export type NodeParts = {
  hostpath: Hostpath
  node: ServedNode
  publisher: Publisher
  attach: boolean
  locks: LockTable
}

/** Volumes on a node: staged once, published to any number of targets. */
export function createNodeHandlers({ hostpath, node, publisher, attach, locks }: NodeParts): CsiHandlers {
  const { volumes, nodes, parts, requireVolume } = hostpath
  const { records } = node
  const { files } = parts.host
  const checkPath = createPathCheck(files, parts.root)
  const ephemeral = createEphemeralVolumes(hostpath, node, locks)

  const contentOf = ({ id, mode }: Pick<VolumeRecord, 'id' | 'mode'>): Content => ({
    path: contentPath(volumes.folder(id), mode),
    mode,
  })
  const holdPath = (path: string): Disposable => hold(locks, `path ${path} on node ${node.id}`)
  // All nodes of one machine share a volume's devices, and each checks the others before it detaches them.
  const holdDevices = (volumeId: string, { mode }: Use): Disposable | undefined =>
    mode === 'block' ? hold(locks, `devices of volume ${volumeId}`) : undefined
  const isUsedElsewhere = (volumeId: string): boolean =>
    [...nodes.values()].some(({ id, records: other }) => id !== node.id && other.find(volumeId))

  const nodeGetInfo: CsiHandlers['nodeGetInfo'] = async () => ({
    nodeId: node.id,
    maxVolumesPerNode: BigInt(node.attachLimit),
    ...(Object.keys(node.topology).length > 0 ? { accessibleTopology: { segments: node.topology } } : {}),
  })

  const nodeStageVolume: CsiHandlers['nodeStageVolume'] = async ({
    volumeId,
    stagingTargetPath: path,
    volumeCapability,
  }) => {
    await checkPath('staging_target_path', path)
    const volume = requireVolume(volumeId)
    const use = useOf(volumeCapability)
    requireMode(volume, use, 'FAILED_PRECONDITION')
    requireAttached(volume)
    using _path = holdPath(path)
    using _devices = holdDevices(volumeId, use)
    requireFreePath(records.at(path), { volumeId, path, as: 'staged' })
    const isNew = !records.find(volumeId)?.staged
    await records.update(volumeId, (record) => {
      if (!record.staged) return { ...record, staged: { path, use } }
      if (record.staged.path !== path) throw stagedElsewhere(volumeId, record.staged.path)
      if (sameUse(record.staged.use, use)) return record
      throw new CsiError('ALREADY_EXISTS', `volume ${volumeId} is staged at ${path} with a different capability`)
    })
    await orUndo(publisher.stage(contentOf(volume), path), async () => {
      if (isNew) await unstage(volumeId, { path, use })
    })
    return {}
  }
  const requireAttached = (volume: VolumeRecord): void => {
    if (!attach || findAttachment(volume, node.id)) return
    throw new CsiError(
      'FAILED_PRECONDITION',
      `volume ${volume.id} is not published to node ${node.id}: call ControllerPublishVolume first`,
    )
  }
  const unstage = async (volumeId: string, { path, use }: { path: string; use: Use }): Promise<void> => {
    await publisher.unstage(contentOf({ id: volumeId, mode: use.mode }), path, { last: !isUsedElsewhere(volumeId) })
    await records.update(volumeId, ({ published }) => ({ volumeId, published }))
  }

  const nodeUnstageVolume: CsiHandlers['nodeUnstageVolume'] = async ({ volumeId, stagingTargetPath: path }) => {
    await checkPath('staging_target_path', path)
    const record = records.find(volumeId)
    if (!record?.staged) return {}
    if (record.staged.path !== path) throw stagedElsewhere(volumeId, record.staged.path)
    const [target] = Object.keys(record.published)
    if (target !== undefined)
      throw new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is still published at ${target}`)
    using _devices = holdDevices(volumeId, record.staged.use)
    await unstage(volumeId, record.staged)
    return {}
  }

  const nodePublishVolume: CsiHandlers['nodePublishVolume'] = async (request) => {
    await checkPath('target_path', request.targetPath)
    using _path = holdPath(request.targetPath)
    if (request.volumeContext[EPHEMERAL_KEY] === 'true') await publishEphemeral(request)
    else await publishStaged(request)
    return {}
  }
  const publishStaged = async (request: NodePublishVolumeRequest): Promise<void> => {
    const volume = requireVolume(request.volumeId)
    requireAttached(volume)
    await requireStaged(volume, request.stagingTargetPath)
    await publishAt(volume, request)
  }
  const publishEphemeral = async (request: NodePublishVolumeRequest): Promise<void> => {
    const { volumeId } = request
    using _volume = ephemeral.hold(volumeId)
    const volume = await ephemeral.make(request, useOf(request.volumeCapability).mode)
    await orUndo(publishAt(volume, request), async () => {
      if (!records.find(volumeId) && !isUsedElsewhere(volumeId)) await volumes.remove(volumeId)
    })
  }
  const requireStaged = async (volume: VolumeRecord, stagingPath: string): Promise<void> => {
    const staged = records.find(volume.id)?.staged
    if (staged?.path === stagingPath && (await publisher.isStaged(contentOf(volume), stagingPath))) return
    throw new CsiError(
      'FAILED_PRECONDITION',
      `volume ${volume.id} is not staged at ${stagingPath}: call NodeStageVolume first`,
    )
  }

  const publishAt = async (
    volume: VolumeRecord,
    { targetPath, volumeCapability, readonly: asked }: NodePublishVolumeRequest,
  ): Promise<void> => {
    const use = useOf(volumeCapability)
    requireMode(volume, use, 'FAILED_PRECONDITION')
    requireFreePath(records.at(targetPath), { volumeId: volume.id, path: targetPath, as: 'published' })
    const readonly = asked || isReader(use.accessMode) || (findAttachment(volume, node.id)?.readonly ?? false)
    const isNew = !records.find(volume.id)?.published[targetPath]
    await records.update(volume.id, (record) => {
      const present = record.published[targetPath]
      if (present && (!sameUse(present.use, use) || present.readonly !== readonly)) {
        throw new CsiError(
          'ALREADY_EXISTS',
          `volume ${volume.id} is published at ${targetPath} with different parameters`,
        )
      }
      requireSingleWriter(record, targetPath, use)
      return present ? record : { ...record, published: { ...record.published, [targetPath]: { use, readonly } } }
    })
    await orUndo(publisher.publish(contentOf(volume), targetPath, { readonly }), async () => {
      if (!isNew) return
      await unpublishAt(volume, targetPath)
      await forgetTarget(volume.id, targetPath)
    })
  }
  const unpublishAt = async (
    volume: Pick<VolumeRecord, 'id' | 'mode' | 'ephemeral'>,
    targetPath: string,
  ): Promise<void> => {
    await publisher.unpublish(contentOf(volume), targetPath)
    // Never staged, so nothing would unstage it.
    if (volume.ephemeral)
      await publisher.unstage(contentOf(volume), targetPath, { last: isLastUse(volume.id, targetPath) })
  }
  const isLastUse = (volumeId: string, targetPath: string): boolean =>
    Object.keys(records.find(volumeId)?.published ?? {}).every((path) => path === targetPath) &&
    !isUsedElsewhere(volumeId)
  const forgetTarget = (volumeId: string, targetPath: string): Promise<void> =>
    records.update(volumeId, (record) => {
      const { [targetPath]: _gone, ...published } = record.published
      return { ...record, published }
    })

  const nodeUnpublishVolume: CsiHandlers['nodeUnpublishVolume'] = async ({ volumeId, targetPath }) => {
    await checkPath('target_path', targetPath)
    using _path = holdPath(targetPath)
    const volume = volumes.find(volumeId)
    using _volume = volume?.ephemeral ? ephemeral.hold(volumeId) : undefined
    const present = records.find(volumeId)?.published[targetPath]
    if (present) await unpublishAt(volume ?? { id: volumeId, mode: present.use.mode }, targetPath)
    // Delete the volume before the record: without the record, nothing would retry. A deleted volume may have left something behind.
    if (isLastUse(volumeId, targetPath) && (volume ? volume.ephemeral : present)) await volumes.remove(volumeId)
    if (present) await forgetTarget(volumeId, targetPath)
    return {}
  }

  const requireHere = (volumeId: string, path: string): VolumeRecord => {
    const volume = volumes.find(volumeId)
    const record = records.find(volumeId)
    if (volume && record && usesPath(record, path)) return volume
    throw new CsiError('NOT_FOUND', `volume ${volumeId} is not at ${path}`)
  }

  const nodeGetVolumeStats: CsiHandlers['nodeGetVolumeStats'] = async ({ volumeId, volumePath }) => {
    const volume = requireHere(volumeId, volumePath)
    const content = contentOf(volume)
    const problems = await findContentProblems(hostpath, volume)
    const volumeCondition = conditionOf(problems)
    if (problems.length > 0) return { usage: [], volumeCondition }
    if (volume.mode === 'block') return { usage: [{ unit: Unit.BYTES, total: volume.sizeBytes }], volumeCondition }
    const { bytes, inodes } = await treeUsage(files, content.path)
    const { totalInodes, freeInodes } = await files.usage(content.path)
    const free = volume.sizeBytes - bytes
    return {
      usage: [
        { unit: Unit.BYTES, total: volume.sizeBytes, used: bytes, available: free > 0n ? free : 0n },
        { unit: Unit.INODES, total: totalInodes, used: inodes, available: freeInodes },
      ],
      volumeCondition,
    }
  }

  const nodeExpandVolume: CsiHandlers['nodeExpandVolume'] = async ({ volumeId, volumePath, capacityRange }) => {
    const volume = requireHere(volumeId, volumePath)
    if (!fitsCapacity(volume.sizeBytes, capacityRange)) {
      throw new CsiError(
        'OUT_OF_RANGE',
        `volume ${volumeId} has ${volume.sizeBytes} bytes: call ControllerExpandVolume first`,
      )
    }
    if (volume.mode === 'block') await publisher.refresh(contentOf(volume))
    return { capacityBytes: volume.sizeBytes }
  }

  return {
    nodeGetInfo,
    nodeStageVolume,
    nodeUnstageVolume,
    nodePublishVolume,
    nodeUnpublishVolume,
    nodeGetVolumeStats,
    nodeExpandVolume,
  }
}

// A caller that gets an error may not call again to undo it. If undoing fails too, the record remains for a later call.
async function orUndo(step: Promise<void>, undo: () => Promise<void>): Promise<void> {
  try {
    await step
  } catch (error) {
    await undo().catch(() => {})
    throw error
  }
}

const stagedElsewhere = (volumeId: string, path: string): CsiError =>
  new CsiError('FAILED_PRECONDITION', `volume ${volumeId} is staged at ${path}`)

const usesPath = ({ staged, published }: NodeRecord, path: string): boolean =>
  staged?.path === path || Object.hasOwn(published, path)

// Two volumes at one path would be confused: the second would find a mount there and treat it as its own.
function requireFreePath(
  users: readonly NodeRecord[],
  { volumeId, path, as }: { volumeId: string; path: string; as: 'staged' | 'published' },
): void {
  for (const record of users) {
    const isSame =
      record.volumeId === volumeId &&
      (as === 'staged' ? !Object.hasOwn(record.published, path) : record.staged?.path !== path)
    if (!isSame) throw new CsiError('FAILED_PRECONDITION', `${path} is in use by volume ${record.volumeId}`)
  }
}

// A single writer on one node means a single target.
function requireSingleWriter(record: NodeRecord, targetPath: string, use: Use): void {
  const other = Object.entries(record.published).find(([path]) => path !== targetPath)
  if (!other) return
  const [path, { use: present }] = other
  if (
    use.accessMode !== AccessMode.SINGLE_NODE_SINGLE_WRITER &&
    present.accessMode !== AccessMode.SINGLE_NODE_SINGLE_WRITER
  )
    return
  throw new CsiError('FAILED_PRECONDITION', `volume ${record.volumeId} already has its single writer at ${path}`)
}
