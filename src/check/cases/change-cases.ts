import type { Case } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { readBlock } from '../look-at-path.ts'
import {
  blockCapability,
  createVolume,
  createVolumeIfSupported,
  publishRequest,
  releaseVolume,
  targetPath,
  useVolume,
} from '../volume-steps.ts'
import type { CheckedVolume } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const EXPAND = ['controller:CREATE_DELETE_VOLUME', 'controller:EXPAND_VOLUME'] as const
const MODIFY = ['controller:CREATE_DELETE_VOLUME', 'controller:MODIFY_VOLUME'] as const
const STATS = ['controller:CREATE_DELETE_VOLUME', 'node', 'node:GET_VOLUME_STATS'] as const
const EXPAND_SECTION = 'ControllerExpandVolume'

const expandRequest = (check: CaseContext, volume: CheckedVolume) => ({
  volumeId: volume.volumeId,
  capacityRange: { requiredBytes: check.settings.expandBytes },
  volumeCapability: volume.capability,
})

export const CHANGE_CASES: readonly Case[] = [
  {
    id: 'expand/grows',
    title: 'ControllerExpandVolume returns at least the size that was requested',
    clause: 'Capacity of volume after expansion. This field is REQUIRED. … Volume MUST be at least this big.',
    section: EXPAND_SECTION,
    needs: EXPAND,
    volumes: 1,
    run: async (check) => {
      const { capacityBytes } = await check.driver.controllerExpandVolume(
        expandRequest(check, await createVolume(check, 'a')),
      )
      const { expandBytes } = check.settings
      check.expect(capacityBytes >= expandBytes, `capacity_bytes of at least ${expandBytes}`, `${capacityBytes}`)
    },
  },
  {
    id: 'expand/lasts',
    title: 'an expanded volume reports its new size',
    clause: 'The capacity of the volume in bytes. This field is OPTIONAL. … Volume MUST be at least this big.',
    section: 'ListVolumes',
    needs: [...EXPAND, 'controller:LIST_VOLUMES'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await check.driver.controllerExpandVolume(expandRequest(check, volume))
      const { entries } = await check.driver.listVolumes({})
      const found = entries.find((entry) => entry.volume?.volumeId === volume.volumeId)?.volume?.capacityBytes ?? 0n
      const { expandBytes } = check.settings
      check.expect(found === 0n || found >= expandBytes, `capacity_bytes of at least ${expandBytes}`, `${found}`)
    },
  },
  {
    id: 'expand/repeat',
    title: 'ControllerExpandVolume succeeds again for a volume that has the size',
    clause:
      'This operation MUST be idempotent. If a volume corresponding to the specified volume ID is already larger than or equal to the target capacity of the expansion request, the plugin SHOULD reply 0 OK.',
    section: EXPAND_SECTION,
    needs: EXPAND,
    volumes: 1,
    run: async (check) => {
      const request = expandRequest(check, await createVolume(check, 'a'))
      await check.driver.controllerExpandVolume(request)
      await check.driver.controllerExpandVolume(request)
    },
  },
  {
    id: 'expand/never-shrinks',
    title: 'a volume is not made smaller',
    clause:
      'This operation MUST be idempotent. If a volume corresponding to the specified volume ID is already larger than or equal to the target capacity of the expansion request, the plugin SHOULD reply 0 OK.',
    section: EXPAND_SECTION,
    needs: EXPAND,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const capacityRange = { requiredBytes: volume.capacityBytes / 2n || 1n }
      const reply = await check.driver
        .controllerExpandVolume({ ...expandRequest(check, volume), capacityRange })
        .catch(() => undefined)
      const size = reply?.capacityBytes ?? volume.capacityBytes
      check.expect(size >= volume.capacityBytes, `capacity_bytes of at least ${volume.capacityBytes}`, `${size}`)
    },
  },
  {
    id: 'expand/unknown',
    title: 'a volume that does not exist is refused with NOT_FOUND',
    clause: errorRow('Volume does not exist | 5 NOT_FOUND'),
    section: EXPAND_SECTION,
    needs: EXPAND,
    run: (check) =>
      check.refuses('ControllerExpandVolume', NO_SUCH_OBJECT, () =>
        check.driver.controllerExpandVolume({
          volumeId: check.absentId(),
          capacityRange: { requiredBytes: check.settings.expandBytes },
        }),
      ),
  },
  {
    id: 'expand/device-grows',
    title: 'the device of a published block volume has the new size after the expansion',
    clause: 'When true the CO MUST make NodeExpandVolume RPC call on the node. … Volume MUST be at least this big.',
    section: EXPAND_SECTION,
    needs: [...EXPAND, 'node'],
    volumes: 1,
    run: async (check) => {
      if (!check.features.expansion.has('ONLINE')) check.skip('the driver does not announce VolumeExpansion.ONLINE')
      const volume = await createVolumeIfSupported(check, 'a', blockCapability(), 'block volumes')
      const { path } = await useVolume(check, volume)
      const request = expandRequest(check, volume)
      const { nodeExpansionRequired } = await check.driver.controllerExpandVolume(request)
      if (nodeExpansionRequired) {
        const { stagingTargetPath = '' } = publishRequest(check, volume)
        await check.node.driver.nodeExpandVolume({ ...request, volumePath: path, stagingTargetPath })
      }
      const last = await readBlock(check.host, path, check.settings.expandBytes - 512n, 512).catch(() => '')
      check.expect(last.length > 0, `a device of ${check.settings.expandBytes} bytes`, 'a smaller one')
    },
  },
  {
    id: 'expand/node-unknown',
    title: 'NodeExpandVolume of a volume that does not exist fails with NOT_FOUND',
    clause: errorRow('Volume does not exist | 5 NOT_FOUND'),
    section: 'NodeExpandVolume',
    needs: ['node', 'node:EXPAND_VOLUME'],
    run: (check) =>
      check.refuses('NodeExpandVolume', NO_SUCH_OBJECT, () =>
        check.node.driver.nodeExpandVolume({ volumeId: check.absentId(), volumePath: targetPath(check, 'a') }),
      ),
  },
  {
    id: 'modify/repeat',
    title: 'ControllerModifyVolume succeeds, also when it is repeated',
    clause: 'This operation MUST be idempotent.',
    section: 'ControllerModifyVolume',
    needs: [...MODIFY, 'mutable parameters'],
    volumes: 1,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      const request = { volumeId, mutableParameters: { ...check.settings.mutableParameters } }
      await check.driver.controllerModifyVolume(request)
      await check.driver.controllerModifyVolume(request)
    },
  },
  {
    id: 'modify/unknown-parameter',
    title: 'a mutable parameter that does not exist is refused with INVALID_ARGUMENT',
    clause:
      'Parameters not supported | 3 INVALID_ARGUMENT | Indicates that the CO has specified invalid mutable parameter keys or values, or the specified volume cannot support the specified parameters. The SP MUST NOT have applied any modification to the volume as part of this specific call.',
    section: 'ControllerModifyVolume',
    needs: MODIFY,
    volumes: 1,
    run: async (check) => {
      const { volumeId } = await createVolume(check, 'a')
      const mutableParameters = { 'holdfast-check-no-such-parameter': 'x' }
      await check.refuses('ControllerModifyVolume', ['INVALID_ARGUMENT'], () =>
        check.driver.controllerModifyVolume({ volumeId, mutableParameters }),
      )
    },
  },
  {
    id: 'modify/unknown',
    title: 'ControllerModifyVolume of a volume that does not exist fails with NOT_FOUND',
    clause:
      'Volume does not exist | 5 NOT_FOUND | Indicates that a volume corresponding to the specified volume_id does not exist. | Caller MUST verify that the volume_id is correct',
    section: 'ControllerModifyVolume',
    needs: [...MODIFY, 'mutable parameters'],
    run: (check) =>
      check.refuses('ControllerModifyVolume', NO_SUCH_OBJECT, () =>
        check.driver.controllerModifyVolume({
          volumeId: check.absentId(),
          mutableParameters: { ...check.settings.mutableParameters },
        }),
      ),
  },
  {
    id: 'stats/usage',
    title: 'NodeGetVolumeStats reports a total, and no negative numbers',
    clause:
      'The total capacity in specified Unit. This field is REQUIRED. The value of this field MUST NOT be negative.',
    section: 'NodeGetVolumeStats',
    needs: STATS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const { path } = await useVolume(check, volume)
      const { usage } = await check.node.driver.nodeGetVolumeStats({ volumeId: volume.volumeId, volumePath: path })
      for (const { total, used, available } of usage) {
        check.expect(total > 0n, 'a total above 0', `${total}`)
        check.expect(used >= 0n && available >= 0n, 'used and available that are not negative', `${used}, ${available}`)
      }
      await releaseVolume(check, volume, path)
    },
  },
  {
    id: 'stats/unknown-path',
    title: 'NodeGetVolumeStats of a path at which the volume is not fails with NOT_FOUND',
    clause: errorRow(
      'Volume does not exist | 5 NOT_FOUND | Indicates that a volume corresponding to the specified `volume_id` does not exist on specified `volume_path`.',
    ),
    section: 'NodeGetVolumeStats',
    needs: STATS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await useVolume(check, volume)
      const volumePath = targetPath(check, 'somewhere-else')
      await check.refuses('NodeGetVolumeStats of another path', ['NOT_FOUND'], () =>
        check.node.driver.nodeGetVolumeStats({ volumeId: volume.volumeId, volumePath }),
      )
    },
  },
  {
    id: 'stats/unknown-volume',
    title: 'NodeGetVolumeStats of a volume that does not exist fails with NOT_FOUND',
    clause: errorRow('Volume does not exist | 5 NOT_FOUND'),
    section: 'NodeGetVolumeStats',
    needs: ['node', 'node:GET_VOLUME_STATS'],
    run: (check) =>
      check.refuses('NodeGetVolumeStats', NO_SUCH_OBJECT, () =>
        check.node.driver.nodeGetVolumeStats({ volumeId: check.absentId(), volumePath: targetPath(check, 'a') }),
      ),
  },
]
