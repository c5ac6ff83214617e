import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { collectAll } from '../../api/list-all.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { readVolumeObjects } from '../volume-objects.ts'
import type { VolumeObjects } from '../volume-objects.ts'

/** Everything that the cluster knows about volumes. Objects of other drivers are in it too. */
export type ClusterSide = VolumeObjects & {
  readonly driverName: string
  readonly snapshots: readonly VolumeSnapshot[]
  readonly contents: readonly VolumeSnapshotContent[]
  readonly snapshotClasses: readonly VolumeSnapshotClass[]
  readonly groups: readonly VolumeGroupSnapshot[]
  readonly groupContents: readonly VolumeGroupSnapshotContent[]
  readonly classes: readonly StorageClass[]
  readonly capacities: readonly CSIStorageCapacity[]
}

export async function readClusterSide(api: Api, driverName: string, signal: AbortSignal): Promise<ClusterSide> {
  // As in `readVolumeObjects`: snapshots refer to contents, and both to claims and volumes.
  return {
    driverName,
    snapshots: await listServed(api, VOLUME_SNAPSHOTS, signal),
    groups: await listServed(api, VOLUME_GROUP_SNAPSHOTS, signal),
    contents: await listServed(api, VOLUME_SNAPSHOT_CONTENTS, signal),
    groupContents: await listServed(api, VOLUME_GROUP_SNAPSHOT_CONTENTS, signal),
    snapshotClasses: await listServed(api, VOLUME_SNAPSHOT_CLASSES, signal),
    ...(await readVolumeObjects(api, signal)),
    capacities: await listServed(api, CSI_STORAGE_CAPACITIES, signal),
    classes: await listServed(api, STORAGE_CLASSES, signal),
  }
}

/** A cluster without snapshots has no contents either. */
async function listServed<T extends KubeObject>(api: Api, type: ResourceType<T>, signal: AbortSignal): Promise<T[]> {
  try {
    return await collectAll(api, type, { signal })
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}
