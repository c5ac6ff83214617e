import type { CsiRpc, Rpc } from '../rpc.ts'
import { findOversize } from './find-oversize.ts'

// The members without which a response is useless, as paths.
const REQUIRED: Partial<Record<CsiRpc, readonly (readonly string[])[]>> = {
  CreateVolume: [['volume', 'volumeId']],
  ControllerGetVolume: [['volume', 'volumeId'], ['status']],
  ControllerGetVolumeHealth: [['volumeHealth', 'volumeId']],
  CreateSnapshot: [
    ['snapshot', 'snapshotId'],
    ['snapshot', 'sourceVolumeId'],
    ['snapshot', 'creationTime'],
  ],
  GetSnapshot: [
    ['snapshot', 'snapshotId'],
    ['snapshot', 'sourceVolumeId'],
    ['snapshot', 'creationTime'],
  ],
  CreateVolumeGroupSnapshot: [
    ['groupSnapshot', 'groupSnapshotId'],
    ['groupSnapshot', 'creationTime'],
  ],
  GetVolumeGroupSnapshot: [
    ['groupSnapshot', 'groupSnapshotId'],
    ['groupSnapshot', 'creationTime'],
  ],
  NodeGetVolumeHealth: [['volumeHealth', 'volumeId']],
  NodeGetInfo: [['nodeId']],
}

/** A problem with a driver's own response, or undefined. Found here, a mistake does not become an unusable volume. */
export function findResponseProblem(rpc: Rpc, response: object): string | undefined {
  for (const path of REQUIRED[rpc.name as CsiRpc] ?? []) {
    let value: unknown = response
    for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key]
    if (value === undefined || value === '') return `${path.join('.')} is required`
  }
  return findOversize(rpc.responseName, response)
}
