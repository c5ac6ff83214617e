import type { Code } from '../../csi/index.ts'
import { CSI_RPCS } from '../../csi/rpc.ts'
import type { CsiMethod } from '../../csi/index.ts'
import type { Case, Need } from '../case.ts'
import type { CaseContext } from '../case-context.ts'
import { mountCapability, targetPath } from '../volume-steps.ts'
import { ERROR_SCHEME, MISSING_FIELD, NO_SUCH_OBJECT } from './clauses.ts'

/** A complete request for something that does not exist: each required field is left out in turn. */
type Complete = {
  method: CsiMethod
  need: Need
  request(check: CaseContext): Record<string, unknown>
  required: Readonly<Record<string, string>>
  /** Codes for a field that is left out. Default: INVALID_ARGUMENT. */
  codes?: Readonly<Record<string, readonly Code[]>>
}

const volumeId = { volumeId: 'volume_id' }
const capability = mountCapability()

const COMPLETE: readonly Complete[] = [
  {
    method: 'controllerPublishVolume',
    need: 'controller:PUBLISH_UNPUBLISH_VOLUME',
    request: (check) => ({ volumeId: check.absentId(), nodeId: check.absentId(), volumeCapability: capability }),
    required: { ...volumeId, nodeId: 'node_id', volumeCapability: 'volume_capability' },
  },
  {
    method: 'controllerUnpublishVolume',
    need: 'controller:PUBLISH_UNPUBLISH_VOLUME',
    request: (check) => ({ volumeId: check.absentId(), nodeId: check.absentId() }),
    required: volumeId,
  },
  {
    method: 'validateVolumeCapabilities',
    need: 'plugin:CONTROLLER_SERVICE',
    request: (check) => ({ volumeId: check.absentId(), volumeCapabilities: [capability] }),
    required: { ...volumeId, volumeCapabilities: 'volume_capabilities' },
  },
  {
    method: 'controllerGetVolume',
    need: 'controller:GET_VOLUME',
    request: (check) => ({ volumeId: check.absentId() }),
    required: volumeId,
  },
  {
    method: 'controllerGetVolumeHealth',
    need: 'controller:GET_VOLUME_HEALTH',
    request: (check) => ({ volumeId: check.absentId() }),
    required: volumeId,
  },
  {
    method: 'controllerExpandVolume',
    need: 'controller:EXPAND_VOLUME',
    request: (check) => ({ volumeId: check.absentId(), capacityRange: { requiredBytes: check.settings.expandBytes } }),
    required: { ...volumeId, capacityRange: 'capacity_range' },
  },
  {
    method: 'controllerModifyVolume',
    need: 'controller:MODIFY_VOLUME',
    request: (check) => ({ volumeId: check.absentId(), mutableParameters: { ...check.settings.mutableParameters } }),
    required: volumeId,
  },
  {
    method: 'createSnapshot',
    need: 'controller:CREATE_DELETE_SNAPSHOT',
    request: (check) => ({ name: check.name('a'), sourceVolumeId: check.absentId() }),
    required: { name: 'name', sourceVolumeId: 'source_volume_id' },
  },
  {
    method: 'deleteSnapshot',
    need: 'controller:CREATE_DELETE_SNAPSHOT',
    request: (check) => ({ snapshotId: check.absentId() }),
    required: { snapshotId: 'snapshot_id' },
  },
  {
    method: 'getSnapshot',
    need: 'controller:GET_SNAPSHOT',
    request: (check) => ({ snapshotId: check.absentId() }),
    required: { snapshotId: 'snapshot_id' },
  },
  {
    method: 'createVolumeGroupSnapshot',
    need: 'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    request: (check) => ({ name: check.name('a'), sourceVolumeIds: [check.absentId()] }),
    required: { name: 'name', sourceVolumeIds: 'source_volume_ids' },
  },
  {
    method: 'deleteVolumeGroupSnapshot',
    need: 'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    request: (check) => ({ groupSnapshotId: check.absentId() }),
    required: { groupSnapshotId: 'group_snapshot_id' },
  },
  {
    method: 'getVolumeGroupSnapshot',
    need: 'group:CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT',
    request: (check) => ({ groupSnapshotId: check.absentId() }),
    required: { groupSnapshotId: 'group_snapshot_id' },
  },
  {
    method: 'nodeStageVolume',
    need: 'node:STAGE_UNSTAGE_VOLUME',
    request: (check) => ({
      volumeId: check.absentId(),
      stagingTargetPath: targetPath(check, 'stage'),
      volumeCapability: capability,
    }),
    required: { ...volumeId, stagingTargetPath: 'staging_target_path', volumeCapability: 'volume_capability' },
  },
  {
    method: 'nodeUnstageVolume',
    need: 'node:STAGE_UNSTAGE_VOLUME',
    request: (check) => ({ volumeId: check.absentId(), stagingTargetPath: targetPath(check, 'stage') }),
    required: { ...volumeId, stagingTargetPath: 'staging_target_path' },
  },
  {
    method: 'nodePublishVolume',
    need: 'node',
    request: (check) => ({
      volumeId: check.absentId(),
      stagingTargetPath: targetPath(check, 'stage'),
      targetPath: targetPath(check, 'a'),
      volumeCapability: capability,
    }),
    required: { ...volumeId, targetPath: 'target_path', volumeCapability: 'volume_capability' },
  },
  {
    method: 'nodeUnpublishVolume',
    need: 'node',
    request: (check) => ({ volumeId: check.absentId(), targetPath: targetPath(check, 'a') }),
    required: { ...volumeId, targetPath: 'target_path' },
  },
  {
    method: 'nodeGetVolumeStats',
    need: 'node:GET_VOLUME_STATS',
    request: (check) => ({ volumeId: check.absentId(), volumePath: targetPath(check, 'a') }),
    required: { ...volumeId, volumePath: 'volume_path' },
  },
  {
    method: 'nodeGetVolumeHealth',
    need: 'node:GET_VOLUME_HEALTH',
    request: (check) => ({ volumeId: check.absentId() }),
    required: volumeId,
  },
  {
    method: 'nodeExpandVolume',
    need: 'node:EXPAND_VOLUME',
    request: (check) => ({ volumeId: check.absentId(), volumePath: targetPath(check, 'a') }),
    required: { ...volumeId, volumePath: 'volume_path' },
    // The volume does not exist either, and nothing says which of the two a driver has to notice first.
    codes: { volumePath: NO_SUCH_OBJECT },
  },
]

/** Every required field of every request, left out. */
export const MISSING_FIELD_CASES: readonly Case[] = COMPLETE.flatMap(({ method, need, request, required, codes }) => {
  const rpc = CSI_RPCS.get(method)?.name ?? method
  return Object.entries(required).map(([key, field]): Case => {
    const name = `${rpc} without ${field}`
    return {
      id: `missing/${kebab(rpc)}-${field.replaceAll('_', '-')}`,
      title: `${name} is refused`,
      clause: MISSING_FIELD,
      section: ERROR_SCHEME,
      needs: [need],
      run: async (check) => {
        const { [key]: _left, ...rest } = request(check)
        const driver = need.startsWith('node') ? check.node.driver : check.driver
        const call = driver[method] as (request: object) => Promise<unknown>
        await check.refuses(name, [...(codes?.[key] ?? ['INVALID_ARGUMENT'])], () => call(rest))
      },
    }
  })
})

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
}
