import { MESSAGES } from '../generated/message-table.ts'
import { VolumeCapability_AccessMode_Mode as AccessMode } from '../generated/csi/v1/csi.ts'
import type { CapacityRange, VolumeCapability, VolumeContentSource } from '../generated/csi/v1/csi.ts'
import type { CsiRpc, Rpc } from '../rpc.ts'
import { findOversize } from './find-oversize.ts'

/** A violation of the rules that apply to every driver's requests, or undefined. */
export function findRequestProblem(rpc: Rpc, request: object): string | undefined {
  const fields = request as Record<string, unknown>
  for (const field of REQUIRED[rpc.name as CsiRpc] ?? []) {
    if (isMissing(fields[field])) return `${protoName(rpc, field)} is required`
  }
  return (
    findOversize(rpc.requestName, request) ??
    findCapabilityProblem(fields) ??
    findRangeProblem(fields['capacityRange'] as CapacityRange | undefined) ??
    findSourceProblem(fields['volumeContentSource'] as VolumeContentSource | undefined) ??
    findNegative(rpc, fields)
  )
}

const REQUIRED: Partial<Record<CsiRpc, readonly string[]>> = {
  CreateVolume: ['name', 'volumeCapabilities'],
  DeleteVolume: ['volumeId'],
  ControllerPublishVolume: ['volumeId', 'nodeId', 'volumeCapability'],
  ControllerUnpublishVolume: ['volumeId'],
  ValidateVolumeCapabilities: ['volumeId', 'volumeCapabilities'],
  CreateSnapshot: ['name', 'sourceVolumeId'],
  DeleteSnapshot: ['snapshotId'],
  GetSnapshot: ['snapshotId'],
  ControllerExpandVolume: ['volumeId', 'capacityRange'],
  ControllerGetVolume: ['volumeId'],
  ControllerGetVolumeHealth: ['volumeId'],
  // The specification requires mutable_parameters too, but callers without any, such as csi-sanity, send an empty map.
  ControllerModifyVolume: ['volumeId'],
  CreateVolumeGroupSnapshot: ['name', 'sourceVolumeIds'],
  // The specification requires snapshot_ids in the next two as well, but callers such as csi-sanity omit them.
  DeleteVolumeGroupSnapshot: ['groupSnapshotId'],
  GetVolumeGroupSnapshot: ['groupSnapshotId'],
  GetMetadataAllocated: ['snapshotId'],
  GetMetadataDelta: ['baseSnapshotId', 'targetSnapshotId'],
  NodeStageVolume: ['volumeId', 'stagingTargetPath', 'volumeCapability'],
  NodeUnstageVolume: ['volumeId', 'stagingTargetPath'],
  NodePublishVolume: ['volumeId', 'targetPath', 'volumeCapability'],
  NodeUnpublishVolume: ['volumeId', 'targetPath'],
  NodeGetVolumeStats: ['volumeId', 'volumePath'],
  NodeGetVolumeHealth: ['volumeId'],
  NodeExpandVolume: ['volumeId', 'volumePath'],
}

function isMissing(value: unknown): boolean {
  if (value === undefined || value === '') return true
  // Among objects, only a map can have no keys: the decoder sets the fields of every message.
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function protoName(rpc: Rpc, field: string): string {
  return MESSAGES[rpc.requestName]?.find(({ jsonName }) => jsonName === field)?.name ?? field
}

function findCapabilityProblem(fields: Record<string, unknown>): string | undefined {
  const single = fields['volumeCapability'] as VolumeCapability | undefined
  const several = (fields['volumeCapabilities'] ?? []) as VolumeCapability[]
  for (const capability of single ? [single] : several) {
    if (!capability.accessType) return 'volume_capability: access_type is required: block or mount'
    const mode = capability.accessMode?.mode
    if (mode === undefined || mode === AccessMode.UNKNOWN) return 'volume_capability: access_mode is required'
    if (!Object.values(AccessMode).includes(mode)) return `volume_capability: access_mode ${String(mode)} is unknown`
  }
  return undefined
}

function findRangeProblem(range: CapacityRange | undefined): string | undefined {
  if (!range) return undefined
  const { requiredBytes, limitBytes } = range
  if (requiredBytes < 0n || limitBytes < 0n) return 'capacity_range: bytes must not be negative'
  if (requiredBytes === 0n && limitBytes === 0n) return 'capacity_range: required_bytes or limit_bytes must be given'
  if (limitBytes > 0n && requiredBytes > limitBytes) return 'capacity_range: required_bytes is more than limit_bytes'
  return undefined
}

function findSourceProblem(source: VolumeContentSource | undefined): string | undefined {
  if (!source) return undefined
  switch (source.type?.$case) {
    case 'snapshot':
      return source.type.value.snapshotId === '' ? 'volume_content_source: snapshot_id is required' : undefined
    case 'volume':
      return source.type.value.volumeId === '' ? 'volume_content_source: volume_id is required' : undefined
    case undefined:
      return 'volume_content_source: a snapshot or a volume is required'
  }
}

function findNegative(rpc: Rpc, fields: Record<string, unknown>): string | undefined {
  const name = ['maxEntries', 'maxResults'].find((field) => typeof fields[field] === 'number' && fields[field] < 0)
  return name === undefined ? undefined : `${protoName(rpc, name)} must not be negative`
}
