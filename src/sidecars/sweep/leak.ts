/** What only one side knows, and how it is reported. */
export const LEAK_KINDS = {
  'volume-without-object': 'Volumes of the driver without a PersistentVolume',
  'own-volume-without-object': 'Volumes of this cluster that have lost their PersistentVolume',
  'object-without-volume': 'PersistentVolumes whose volume the driver does not have',
  'objects-share-volume': 'PersistentVolumes that name the same volume',
  'claim-without-volume': 'Lost claims, whose PersistentVolume is gone',
  'retained-volume': 'Released PersistentVolumes that are retained',
  'attached-without-object': 'Volumes that the driver has attached, without a VolumeAttachment',
  'attached-to-unknown-node': 'Volumes that the driver has attached to a node that this cluster does not have',
  'object-without-attachment': 'VolumeAttachments that are attached, but not for the driver',
  'attachment-without-volume': 'VolumeAttachments of a PersistentVolume that does not exist',
  'attachment-without-node': 'VolumeAttachments to a node that does not exist',
  'attachment-without-pod': 'VolumeAttachments that no pod on the node needs',
  'listed-without-attachment': 'Volumes in volumesAttached of a node, without a VolumeAttachment',
  'in-use-without-attachment': 'Volumes in volumesInUse of a node, without a VolumeAttachment',
  'snapshot-without-object': 'Snapshots of the driver without a VolumeSnapshotContent',
  'object-without-snapshot': 'VolumeSnapshotContents whose snapshot the driver does not have',
  'content-without-snapshot': 'VolumeSnapshotContents whose VolumeSnapshot does not exist',
  'retained-content': 'VolumeSnapshotContents that are retained after their VolumeSnapshot',
  'snapshot-without-content': 'VolumeSnapshots whose VolumeSnapshotContent does not exist',
  'contents-share-snapshot': 'VolumeSnapshotContents that name the same snapshot',
  'group-content-without-group': 'VolumeGroupSnapshotContents whose VolumeGroupSnapshot does not exist',
  'group-without-content': 'VolumeGroupSnapshots whose VolumeGroupSnapshotContent does not exist',
  'capacity-without-class': 'CSIStorageCapacities of a StorageClass that does not exist',
  'registration-without-node': 'CSINodes of a node that does not exist',
  'mount-without-pod': 'Mounts below the directory of a pod that is not on the node',
  'directory-without-pod': 'Directories of volumes of a pod that is not on the node',
  'staged-without-pod': 'Staged volumes that no pod on the node uses',
  'device-without-pod': 'Block devices that no pod on the node uses',
} as const

export type LeakKind = keyof typeof LEAK_KINDS

export type Leak = {
  readonly kind: LeakKind
  /** Handle of the volume or snapshot. */
  readonly handle?: string
  /** The API object, if there is one: `PersistentVolume/pv-1`. Of several, all of them. */
  readonly object?: string
  readonly node?: string
  /** On the node. */
  readonly path?: string
  readonly sizeBytes?: number
  /** Processes that keep a mount busy: `process 4711 (nginx, open file)`. */
  readonly usedBy?: readonly string[]
}

export const identityOf = ({ kind, handle = '', object = '', node = '', path = '' }: Leak): string =>
  JSON.stringify([kind, handle, object, node, path])

/** Those that were there both times: everything else was being created or deleted meanwhile. */
export function stillThere(before: readonly Leak[], now: readonly Leak[]): Leak[] {
  const known = new Set(before.map(identityOf))
  return now.filter((leak) => known.has(identityOf(leak)))
}

/** Whether the journal of this cluster proves that a volume was created for it. */
export type IsOwn = (volumeHandle: string) => boolean
