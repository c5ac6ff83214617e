import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../api/kinds/csi-storage-capacity.ts'
import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeGroupSnapshot, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { collectAll } from '../../api/list-all.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** Everything that the cluster knows about volumes. Objects of other drivers are in it too. */
export type ClusterSide = {
  readonly driverName: string
  readonly volumes: readonly PersistentVolume[]
  readonly claims: readonly PersistentVolumeClaim[]
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
  readonly csiNodes: readonly CSINode[]
  readonly attachments: readonly VolumeAttachment[]
  readonly snapshots: readonly VolumeSnapshot[]
  readonly contents: readonly VolumeSnapshotContent[]
  readonly snapshotClasses: readonly VolumeSnapshotClass[]
  readonly groups: readonly VolumeGroupSnapshot[]
  readonly groupContents: readonly VolumeGroupSnapshotContent[]
  readonly classes: readonly StorageClass[]
  readonly capacities: readonly CSIStorageCapacity[]
}

export async function readClusterSide(api: Api, driverName: string, signal: AbortSignal): Promise<ClusterSide> {
  // What refers to another object is listed before it: an object that is created meanwhile does not seem to refer to nothing.
  const attachments = await listServed(api, VOLUME_ATTACHMENTS, signal)
  const [snapshots, groups] = [
    await listServed(api, VOLUME_SNAPSHOTS, signal),
    await listServed(api, VOLUME_GROUP_SNAPSHOTS, signal),
  ]
  const [contents, groupContents] = [
    await listServed(api, VOLUME_SNAPSHOT_CONTENTS, signal),
    await listServed(api, VOLUME_GROUP_SNAPSHOT_CONTENTS, signal),
  ]
  return {
    driverName,
    attachments,
    snapshots,
    groups,
    contents,
    groupContents,
    snapshotClasses: await listServed(api, VOLUME_SNAPSHOT_CLASSES, signal),
    claims: await listServed(api, PERSISTENT_VOLUME_CLAIMS, signal),
    volumes: await listServed(api, PERSISTENT_VOLUMES, signal),
    pods: await listServed(api, PODS, signal),
    csiNodes: await listServed(api, CSI_NODES, signal),
    nodes: await listServed(api, NODES, signal),
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
