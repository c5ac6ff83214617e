import { join } from 'node:path'
import { makeDirectories } from '../../base/host/index.ts'
import type { Case } from '../case.ts'
import { countMounts } from '../look-at-path.ts'
import {
  attach,
  createVolume,
  detach,
  publish,
  publishRequest,
  stage,
  stagingPath,
  stageRequest,
  targetPath,
  unpublish,
  unstage,
  useVolume,
} from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const CREATE = 'controller:CREATE_DELETE_VOLUME'
const STAGE = [CREATE, 'node', 'node:STAGE_UNSTAGE_VOLUME'] as const
const PUBLISH = [CREATE, 'node'] as const
const STAGED =
  'This operation MUST be idempotent. If the volume corresponding to the `volume_id` is already staged to the `staging_target_path`, and is identical to the specified `volume_capability` the Plugin MUST reply `0 OK`.'
const UNSTAGED =
  'This operation MUST be idempotent. If the volume corresponding to the `volume_id` is not staged to the `staging_target_path`, the Plugin MUST reply `0 OK`.'
const PUBLISHED =
  'This operation MUST be idempotent. If the volume corresponding to the `volume_id` has already been published at the specified `target_path`, and is compatible with the specified `volume_capability` and `readonly` flag, the Plugin MUST reply `0 OK`.'
const NO_VOLUME = errorRow('Volume does not exist | 5 NOT_FOUND')

export const NODE_CASES: readonly Case[] = [
  {
    id: 'node/id',
    title: 'NodeGetInfo returns a node_id of at most 256 bytes',
    clause:
      'The identifier of the node as understood by the SP. This field is REQUIRED. … The size of this field SHALL NOT exceed 256 bytes.',
    section: 'NodeGetInfo',
    needs: ['node'],
    run: async (check) => {
      const { nodeId } = await check.node.driver.nodeGetInfo({})
      const bytes = Buffer.byteLength(nodeId)
      check.expect(bytes > 0 && bytes <= 256, 'a node_id of 1 to 256 bytes', `${bytes} bytes`)
    },
  },
  {
    id: 'node/same-id',
    title: 'a node always reports the same node_id, and two nodes report different ones',
    clause:
      'This field MUST contain enough information to uniquely identify this specific node vs all other nodes supported by this plugin.',
    section: 'NodeGetInfo',
    needs: ['node'],
    run: async (check) => {
      const ids = new Set<string>()
      for (const { driver, features } of check.nodes) {
        const { nodeId } = await driver.nodeGetInfo({})
        check.expect(nodeId === features.id, `node_id ${features.id}, as before`, nodeId)
        ids.add(nodeId)
      }
      check.expect(ids.size === check.nodes.length, `${check.nodes.length} node IDs`, [...ids].join())
    },
  },
  {
    id: 'node/limit',
    title: 'max_volumes_per_node is not negative',
    clause: 'The plugin MUST NOT set negative values here.',
    section: 'NodeGetInfo',
    needs: ['node'],
    run: async (check) => {
      const { maxVolumesPerNode } = await check.node.driver.nodeGetInfo({})
      check.expect(maxVolumesPerNode >= 0n, 'a number that is not negative', `${maxVolumesPerNode}`)
    },
  },
  {
    id: 'node/topology',
    title: 'a driver that reports the topology of a node announces VOLUME_ACCESSIBILITY_CONSTRAINTS',
    clause: 'A plugin that returns this field MUST also set the VOLUME_ACCESSIBILITY_CONSTRAINTS plugin capability.',
    section: 'NodeGetInfo',
    needs: ['node'],
    run: async (check) => {
      const { accessibleTopology } = await check.node.driver.nodeGetInfo({})
      const isAnnounced = check.features.plugin.has('VOLUME_ACCESSIBILITY_CONSTRAINTS')
      check.expect(!accessibleTopology || isAnnounced, 'VOLUME_ACCESSIBILITY_CONSTRAINTS', 'it is not announced')
    },
  },
  {
    id: 'stage/repeat',
    title: 'NodeStageVolume succeeds again',
    clause: STAGED,
    section: 'NodeStageVolume',
    needs: STAGE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const context = await attach(check, volume, check.node)
      await stage(check, volume, check.node, context)
      await stage(check, volume, check.node, context)
      const mounts = await countMounts(check.host, stagingPath(check, volume, check.node))
      check.expect(mounts <= 1, 'at most one mount at staging_target_path', `${mounts} mounts`)
    },
  },
  {
    id: 'stage/unknown-volume',
    title: 'a volume that does not exist is refused with NOT_FOUND',
    clause: NO_VOLUME,
    section: 'NodeStageVolume',
    needs: STAGE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const context = await attach(check, volume, check.node)
      await makeDirectories(check.host.files, stagingPath(check, volume, check.node))
      const request = { ...stageRequest(check, volume, check.node, context), volumeId: check.absentId() }
      await check.refuses('NodeStageVolume of a missing volume', NO_SUCH_OBJECT, () =>
        check.node.driver.nodeStageVolume(request),
      )
    },
  },
  {
    id: 'unstage/repeat',
    title: 'NodeUnstageVolume succeeds again',
    clause: UNSTAGED,
    section: 'NodeUnstageVolume',
    needs: STAGE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await stage(check, volume, check.node, await attach(check, volume, check.node))
      await unstage(check, volume, check.node)
      await unstage(check, volume, check.node)
    },
  },
  {
    id: 'unstage/undoes',
    title: 'nothing is mounted at staging_target_path after NodeUnstageVolume',
    clause: 'This RPC MUST undo the work by the corresponding `NodeStageVolume`.',
    section: 'NodeUnstageVolume',
    needs: STAGE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const path = stagingPath(check, volume, check.node)
      await stage(check, volume, check.node, await attach(check, volume, check.node))
      await unstage(check, volume, check.node)
      const mounts = await countMounts(check.host, path)
      check.expect(mounts === 0, `nothing is mounted at ${path}`, `${mounts} mounts`)
    },
  },
  {
    id: 'publish/repeat',
    title: 'NodePublishVolume succeeds again and mounts nothing twice',
    clause: PUBLISHED,
    section: 'NodePublishVolume',
    needs: PUBLISH,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path, context } = await useVolume(check, volume)
      const before = await countMounts(check.host, path)
      await publish(check, volume, { context })
      const after = await countMounts(check.host, path)
      check.expect(after === before, `${before} mounts at ${path}, as after the first call`, `${after} mounts`)
    },
  },
  {
    id: 'publish/unknown-volume',
    title: 'a volume that does not exist is refused with NOT_FOUND',
    clause: NO_VOLUME,
    section: 'NodePublishVolume',
    needs: PUBLISH,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const context = await attach(check, volume, check.node)
      await stage(check, volume, check.node, context)
      await makeDirectories(check.host.files, join(targetPath(check, 'a'), '..'))
      const request = { ...publishRequest(check, volume, { context }), volumeId: check.absentId() }
      await check.refuses('NodePublishVolume of a missing volume', NO_SUCH_OBJECT, () =>
        check.node.driver.nodePublishVolume(request),
      )
    },
  },
  {
    id: 'publish/no-staging-path',
    title: 'a driver that stages volumes refuses a request without staging_target_path with FAILED_PRECONDITION',
    clause: errorRow('Staging target path not set | 9 FAILED_PRECONDITION'),
    section: 'NodePublishVolume',
    needs: STAGE,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const context = await attach(check, volume, check.node)
      await stage(check, volume, check.node, context)
      await makeDirectories(check.host.files, join(targetPath(check, 'a'), '..'))
      const request = { ...publishRequest(check, volume, { context }), stagingTargetPath: '' }
      await check.refuses('NodePublishVolume without staging_target_path', ['FAILED_PRECONDITION'], () =>
        check.node.driver.nodePublishVolume(request),
      )
    },
  },
  {
    id: 'publish/other-readonly',
    title: 'a published path with another readonly flag is refused with ALREADY_EXISTS',
    clause: errorRow('Volume published but is incompatible | 6 ALREADY_EXISTS'),
    section: 'NodePublishVolume',
    needs: PUBLISH,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { context } = await useVolume(check, volume)
      await check.refuses('NodePublishVolume with another readonly flag', ['ALREADY_EXISTS'], () =>
        publish(check, volume, { context, readonly: true }),
      )
    },
  },
  {
    id: 'unpublish/repeat',
    title: 'NodeUnpublishVolume succeeds again',
    clause:
      'This operation MUST be idempotent. If this RPC failed, or the CO does not know if it failed or not, it can choose to call `NodeUnpublishVolume` again.',
    section: 'NodeUnpublishVolume',
    needs: PUBLISH,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path } = await useVolume(check, volume)
      await unpublish(check, volume, path)
      await unpublish(check, volume, path)
    },
  },
  {
    id: 'unpublish/deletes-path',
    title: 'NodeUnpublishVolume removes what it created at target_path',
    clause: 'The SP MUST delete the file or directory it created at this path.',
    section: 'NodeUnpublishVolume',
    needs: PUBLISH,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path } = await useVolume(check, volume)
      await unpublish(check, volume, path)
      const left = await check.host.files.findStat(path)
      check.expect(left === undefined, `nothing at ${path}`, `a ${left?.kind}`)
    },
  },
  {
    id: 'unpublish/undoes',
    title: 'nothing is mounted at target_path after NodeUnpublishVolume',
    clause: 'This RPC MUST undo the work by the corresponding `NodePublishVolume`.',
    section: 'NodeUnpublishVolume',
    needs: PUBLISH,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path } = await useVolume(check, volume)
      await unpublish(check, volume, path)
      const mounts = await countMounts(check.host, path)
      check.expect(mounts === 0, `nothing is mounted at ${path}`, `${mounts} mounts`)
      await unstage(check, volume, check.node)
      await detach(check, volume, check.node)
    },
  },
]
