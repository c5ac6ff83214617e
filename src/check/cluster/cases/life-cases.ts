import { join } from 'node:path'
import { readText, writeText } from '../../look-at-path.ts'
import { blockCapability, createVolumeIfSupported } from '../../volume-steps.ts'
import type { ClusterCase } from '../cluster-case.ts'
import { createClaim, createPod, deletePod, pathOf, untilRunning } from '../cluster-steps.ts'
import { expectData, startWriter } from '../data-steps.ts'
import { growClaim, restoreClaim, takeSnapshot } from '../feature-steps.ts'

const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'node'] as const

export const LIFE_CASES: readonly ClusterCase[] = [
  {
    id: 'cluster/claim-to-pod',
    title: 'a claim gets a volume, a pod writes to it, and the next pod finds the data',
    clause:
      'SP MUST ensure the CO can use the published volume as described. Otherwise SP MUST return the appropriate gRPC error code.',
    section: 'NodePublishVolume',
    needs: NEEDS,
    volumes: 1,
    alone: true,
    run: async (context) => {
      await startWriter(context, 'first', 'data')
      await deletePod(context, 'first')
      await createPod(context, 'second', ['data'])
      await untilRunning(context, 'second')
      await expectData(context, 'second', 'data')
    },
  },
  {
    id: 'cluster/two-pods',
    title: 'two pods on one node share a volume, and one of them can leave',
    clause:
      'This RPC MAY be called by the CO multiple times on the same node for the same volume with a possibly different `target_path` and/or other arguments if the volume supports either `MULTI_NODE_...` or `SINGLE_NODE_MULTI_WRITER` access modes … This RPC MUST undo the work by the corresponding `NodePublishVolume`.',
    section: 'NodePublishVolume, NodeUnpublishVolume',
    needs: [...NEEDS, 'controller:SINGLE_NODE_MULTI_WRITER'],
    volumes: 1,
    alone: true,
    run: async (context) => {
      await startWriter(context, 'first', 'data', { node: 'node-1' })
      await createPod(context, 'second', ['data'], { node: 'node-1' })
      await untilRunning(context, 'second')
      await deletePod(context, 'first')
      await expectData(context, 'second', 'data')
      await writeText(context.check.host, join(await pathOf(context, 'second', 'data'), 'more'), 'more')
    },
  },
  {
    id: 'cluster/block-pod',
    title: 'a pod gets a claim with volumeMode Block as a device',
    clause: 'For volumes with an access type of block, the SP SHALL place the block device at target_path.',
    section: 'NodePublishVolume',
    needs: NEEDS,
    volumes: 1,
    alone: true,
    run: async (context) => {
      const { check } = context
      const { volumeId } = await createVolumeIfSupported(check, 'probe', blockCapability(), 'block volumes')
      await check.driver.deleteVolume({ volumeId })
      await createClaim(context, 'data', { volumeMode: 'Block' })
      await createPod(context, 'web', ['data'], { block: true })
      await untilRunning(context, 'web')
      const path = await pathOf(context, 'web', 'data')
      const { files } = check.host
      const stat = await files.findStat(await files.resolve(path))
      check.expect(stat?.kind === 'block-device', `a block device at ${path}`, stat?.kind ?? 'nothing')
    },
  },
  {
    id: 'cluster/grow',
    title: 'a claim can be grown while a pod uses it, and keeps its data',
    clause:
      'Volume MUST be at least this big. … When true the CO MUST make NodeExpandVolume RPC call on the node. … This operation MUST be idempotent.',
    section: 'ControllerExpandVolume',
    needs: [...NEEDS, 'controller:EXPAND_VOLUME'],
    volumes: 1,
    alone: true,
    run: async (context) => {
      const { check } = context
      if (check.features.expansion.has('OFFLINE') && !check.features.expansion.has('ONLINE'))
        check.skip('the driver announces expansion OFFLINE only')
      await startWriter(context, 'web', 'data')
      await growClaim(context, 'data')
      await expectData(context, 'web', 'data')
    },
  },
  {
    id: 'cluster/restore',
    title: 'a snapshot of a claim is restored to a new claim with the data of that moment',
    clause:
      'If specified, the new volume will be pre-populated with data from this source. … MUST provide a volume that, when presented to a workload by `NodePublish` call, has both the requested (larger) size and contains data from the snapshot (or original volume).',
    section: 'CreateVolume',
    needs: [...NEEDS, 'controller:CREATE_DELETE_SNAPSHOT'],
    volumes: 2,
    alone: true,
    run: async (context) => {
      const { host } = context.check
      await startWriter(context, 'web', 'data')
      await takeSnapshot(context, 'snap', 'data')
      const later = join(await pathOf(context, 'web', 'data'), 'later')
      await writeText(host, later, 'later')
      await restoreClaim(context, 'copy', 'snap')
      await createPod(context, 'reader', ['copy'])
      await untilRunning(context, 'reader')
      await expectData(context, 'reader', 'copy')
      const extra = await readText(host, join(await pathOf(context, 'reader', 'copy'), 'later'))
      context.check.expect(extra === undefined, 'no file that was written after the snapshot', extra ?? '')
    },
  },
]
