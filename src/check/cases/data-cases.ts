import { join } from 'node:path'
import { isHostError } from '../../base/host/index.ts'
import { AccessMode, CsiError } from '../../csi/index.ts'
import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { countMounts, readBlock, readText, writeText } from '../look-at-path.ts'
import {
  blockCapability,
  createVolume,
  createVolumeIfSupported,
  mountCapability,
  publish,
  publishRequest,
  releaseVolume,
  unpublish,
  useVolume,
} from '../volume-steps.ts'
import type { CheckedVolume } from '../volume-steps.ts'

const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'node'] as const
const USABLE =
  'SP MUST ensure the CO can use the published volume as described. Otherwise SP MUST return the appropriate gRPC error code.'
const MOUNTED = 'For volumes with an access type of mount, the SP SHALL place the mounted directory at target_path.'
const DEVICE = 'For volumes with an access type of block, the SP SHALL place the block device at target_path.'
const PUBLISHED =
  'This operation MUST be idempotent. If the volume corresponding to the `volume_id` has already been published at the specified `target_path`, and is compatible with the specified `volume_capability` and `readonly` flag, the Plugin MUST reply `0 OK`.'
const PUBLISH = 'NodePublishVolume'

const shared = (check: CaseContext): Promise<CheckedVolume> =>
  createVolumeIfSupported(
    check,
    'a',
    mountCapability(
      check.features.controller.has('SINGLE_NODE_MULTI_WRITER')
        ? AccessMode.SINGLE_NODE_MULTI_WRITER
        : AccessMode.MULTI_NODE_MULTI_WRITER,
    ),
    'volumes that several pods can use',
  )

function ignoreCsiError(error: unknown): void {
  if (!(error instanceof CsiError)) throw error
}

/** Fails the case unless the text is in the volume that is published at the path. */
async function expectText(check: CaseContext, path: string, text: string, when: string): Promise<void> {
  const found = await readText(check.host, join(path, 'data'))
  check.expect(
    found === text,
    `the data that was written before, ${when}`,
    found === undefined ? 'no file' : 'other data',
  )
}

export const DATA_CASES: readonly Case[] = [
  {
    id: 'data/mounted',
    title: 'a volume is mounted at target_path after NodePublishVolume',
    clause: MOUNTED,
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const { path } = await useVolume(check, await createVolume(check, 'a'))
      const stat = await check.host.files.findStat(path)
      const isLink = stat?.kind === 'symlink'
      check.expect(stat?.kind === 'directory' || isLink, `a directory at ${path}`, stat ? `a ${stat.kind}` : 'nothing')
      const mounts = await countMounts(check.host, path)
      check.expect(
        isLink || mounts > 0,
        `a volume is mounted at ${path}`,
        'an empty directory: nothing is mounted there',
      )
    },
  },
  {
    id: 'data/failed-repeat',
    title: 'a repeat of NodePublishVolume that fails leaves the volume published, with its data',
    clause: PUBLISHED,
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path, context } = await useVolume(check, volume)
      await writeText(check.host, join(path, 'data'), volume.volumeId)
      const request = publishRequest(check, volume, { context })
      const { volumeCapability: _required, ...incomplete } = request
      // Nobody has unpublished the volume, whatever the driver answers to these.
      for (const repeat of [incomplete, { ...request, readonly: !request.readonly }])
        await check.node.driver.nodePublishVolume(repeat).catch(ignoreCsiError)
      await expectText(check, path, volume.volumeId, 'after repeats of NodePublishVolume that fail')
      await publish(check, volume, { context })
      await expectText(check, path, volume.volumeId, 'after a repeat that succeeds')
    },
  },
  {
    id: 'data/kept',
    title: 'data is still there after the volume was unpublished, unstaged and detached',
    clause: USABLE,
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const first = await useVolume(check, volume)
      await writeText(check.host, join(first.path, 'data'), volume.volumeId)
      await releaseVolume(check, volume, first.path)
      const second = await useVolume(check, volume, { label: 'b' })
      await expectText(check, second.path, volume.volumeId, 'after the volume was used again')
    },
  },
  {
    id: 'data/other-node',
    title: 'data written on one node is there on another node',
    clause: USABLE,
    section: PUBLISH,
    needs: [...NEEDS, 'two nodes'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const first = await useVolume(check, volume)
      await writeText(check.host, join(first.path, 'data'), volume.volumeId)
      await releaseVolume(check, volume, first.path)
      const [, node] = check.nodes
      if (!node) return check.skip('it needs a second node')
      const second = await useVolume(check, volume, { label: 'b', node })
      await expectText(check, second.path, volume.volumeId, `on node ${node.features.id}`)
    },
  },
  {
    id: 'data/several-pods',
    title: 'two pods on one node see the same data',
    clause: USABLE,
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await shared(check)
      const { path, context } = await useVolume(check, volume)
      const other = await publish(check, volume, { context, label: 'b' })
      await writeText(check.host, join(path, 'data'), volume.volumeId)
      await expectText(check, other, volume.volumeId, 'at the second path')
    },
  },
  {
    id: 'data/other-pod-stays',
    title: 'a pod keeps its volume when the volume is unpublished for another pod',
    clause: 'This RPC MUST undo the work by the corresponding `NodePublishVolume`.',
    section: 'NodeUnpublishVolume',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await shared(check)
      const { path, context } = await useVolume(check, volume)
      const other = await publish(check, volume, { context, label: 'b' })
      await writeText(check.host, join(path, 'data'), volume.volumeId)
      await unpublish(check, volume, path)
      await expectText(check, other, volume.volumeId, 'at the path of the other pod')
    },
  },
  {
    id: 'data/read-only',
    title: 'a volume that is published read-only cannot be written to',
    clause: 'Indicates SP MUST publish the volume in readonly mode.',
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const { path } = await useVolume(check, await createVolume(check, 'a'), { readonly: true })
      try {
        await writeText(check.host, join(path, 'data'), 'x')
      } catch (error) {
        if (isHostError(error, 'EROFS', 'EACCES', 'EPERM')) return
        throw error
      }
      check.expect(false, `writing to ${path} fails`, 'it was written')
    },
  },
  {
    id: 'data/block-device',
    title: 'a block volume is a block device at target_path',
    clause: DEVICE,
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolumeIfSupported(check, 'a', blockCapability(), 'block volumes')
      const { path } = await useVolume(check, volume)
      const stat = await check.host.files.findStat(await check.host.files.resolve(path))
      check.expect(stat?.kind === 'block-device', `a block device at ${path}`, stat ? `a ${stat.kind}` : 'nothing')
    },
  },
  {
    id: 'data/block-kept',
    title: 'data on a block volume is still there after the volume was unpublished and detached',
    clause: USABLE,
    section: PUBLISH,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolumeIfSupported(check, 'a', blockCapability(), 'block volumes')
      const text = volume.volumeId.padEnd(512, '.')
      const first = await useVolume(check, volume)
      await writeText(check.host, await check.host.files.resolve(first.path), text)
      await check.host.files.sync(await check.host.files.resolve(first.path))
      await releaseVolume(check, volume, first.path)
      const second = await useVolume(check, volume, { label: 'b' })
      const found = await readBlock(check.host, second.path, 0n, text.length)
      check.expect(found === text, 'the data that was written before', 'other data')
    },
  },
]
