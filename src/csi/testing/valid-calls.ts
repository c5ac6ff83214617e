import { VolumeCapability_AccessMode_Mode as AccessMode } from '../generated/csi/v1/csi.ts'
import type { CsiHandlers } from '../kit/handlers.ts'

type Unary<H> = H extends (request: infer Q, call: infer _C) => Promise<infer A>
  ? { request: Partial<Q>; answer: A }
  : never
type Streaming<H> = H extends (request: infer Q, call: infer _C) => AsyncIterable<infer A>
  ? { request: Partial<Q>; answers: A[] }
  : never
type ValidCalls = {
  [K in keyof CsiHandlers]-?: Unary<NonNullable<CsiHandlers[K]>> | Streaming<NonNullable<CsiHandlers[K]>>
}

/** A volume capability that every driver supports. */
export const MOUNT = {
  accessType: { $case: 'mount' as const, value: { fsType: 'ext4', mountFlags: ['noatime'], volumeMountGroup: '' } },
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
}
const RANGE = { requiredBytes: 1n, limitBytes: 0n }
const SNAPSHOT = { snapshotId: 's', sourceVolumeId: 'v', creationTime: { seconds: 1n, nanos: 0 }, readyToUse: true }
const GROUP = { groupSnapshotId: 'g', snapshots: [SNAPSHOT], creationTime: { seconds: 1n, nanos: 0 }, readyToUse: true }

/** For each call of a driver's author, a minimal valid request and a valid response. */
export const VALID_CALLS = {
  probe: { request: {}, answer: { ready: true } },
  createVolume: { request: { name: 'n', volumeCapabilities: [MOUNT] }, answer: { volume: { volumeId: 'v' } } },
  deleteVolume: { request: { volumeId: 'v' }, answer: {} },
  controllerPublishVolume: { request: { volumeId: 'v', nodeId: 'n', volumeCapability: MOUNT }, answer: {} },
  controllerUnpublishVolume: { request: { volumeId: 'v' }, answer: {} },
  validateVolumeCapabilities: { request: { volumeId: 'v', volumeCapabilities: [MOUNT] }, answer: {} },
  listVolumes: { request: {}, answer: { entries: [] } },
  getCapacity: { request: {}, answer: { availableCapacity: 1n } },
  createSnapshot: { request: { name: 'n', sourceVolumeId: 'v' }, answer: { snapshot: SNAPSHOT } },
  deleteSnapshot: { request: { snapshotId: 's' }, answer: {} },
  listSnapshots: { request: {}, answer: { entries: [] } },
  getSnapshot: { request: { snapshotId: 's' }, answer: { snapshot: SNAPSHOT } },
  controllerExpandVolume: { request: { volumeId: 'v', capacityRange: RANGE }, answer: { capacityBytes: 1n } },
  controllerGetVolume: { request: { volumeId: 'v' }, answer: { volume: { volumeId: 'v' }, status: {} } },
  controllerListVolumeHealth: { request: {}, answer: { entries: [] } },
  controllerGetVolumeHealth: { request: { volumeId: 'v' }, answer: { volumeHealth: { volumeId: 'v' } } },
  controllerModifyVolume: { request: { volumeId: 'v', mutableParameters: { iops: '1' } }, answer: {} },
  createVolumeGroupSnapshot: { request: { name: 'n', sourceVolumeIds: ['v'] }, answer: { groupSnapshot: GROUP } },
  deleteVolumeGroupSnapshot: { request: { groupSnapshotId: 'g' }, answer: {} },
  getVolumeGroupSnapshot: { request: { groupSnapshotId: 'g' }, answer: { groupSnapshot: GROUP } },
  getMetadataAllocated: { request: { snapshotId: 's' }, answers: [{ volumeCapacityBytes: 1n }] },
  getMetadataDelta: { request: { baseSnapshotId: 's', targetSnapshotId: 't' }, answers: [{ volumeCapacityBytes: 1n }] },
  nodeStageVolume: { request: { volumeId: 'v', stagingTargetPath: '/s', volumeCapability: MOUNT }, answer: {} },
  nodeUnstageVolume: { request: { volumeId: 'v', stagingTargetPath: '/s' }, answer: {} },
  nodePublishVolume: {
    request: { volumeId: 'v', stagingTargetPath: '/s', targetPath: '/t', volumeCapability: MOUNT },
    answer: {},
  },
  nodeUnpublishVolume: { request: { volumeId: 'v', targetPath: '/t' }, answer: {} },
  nodeGetVolumeStats: { request: { volumeId: 'v', volumePath: '/t' }, answer: {} },
  nodeGetVolumeHealth: { request: { volumeId: 'v' }, answer: { volumeHealth: { volumeId: 'v' } } },
  nodeGetStorageHealth: { request: {}, answer: { backendHealth: [] } },
  nodeExpandVolume: { request: { volumeId: 'v', volumePath: '/t' }, answer: { capacityBytes: 1n } },
  nodeGetInfo: { request: {}, answer: { nodeId: 'n' } },
} satisfies ValidCalls

/** A driver that implements everything and does nothing. */
export function createIdleHandlers(): Required<CsiHandlers> {
  const handlers = Object.entries(VALID_CALLS).map(([method, valid]) => [
    method,
    'answers' in valid ? () => streamOf(valid.answers) : () => Promise.resolve(valid.answer),
  ])
  // VALID_CALLS has a response of the right type for every method.
  return Object.fromEntries(handlers) as Required<CsiHandlers>
}

/** A stream of these messages. */
export async function* streamOf<T>(messages: readonly T[]): AsyncGenerator<T, void> {
  for (const message of messages) yield await Promise.resolve(message)
}
