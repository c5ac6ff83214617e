// snapshot-controller, csi-snapshotter and others also read and write these on snapshots, so none may change.

/** On a VolumeSnapshot: claims may be restored from it. */
export const SNAPSHOT_AS_SOURCE_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection'
/** On a VolumeSnapshot whose content is deleted with it. */
export const SNAPSHOT_BOUND_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'
/** On a VolumeSnapshot that belongs to a group. */
export const SNAPSHOT_IN_GROUP_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection'
/** On a VolumeSnapshotContent: the driver has or may have a snapshot. */
export const CONTENT_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'
/** On a claim of which a snapshot is being taken. */
export const SNAPSHOT_SOURCE_CLAIM_FINALIZER = 'snapshot.storage.kubernetes.io/pvc-as-source-protection'

export const DEFAULT_SNAPSHOT_CLASS = 'snapshot.storage.kubernetes.io/is-default-class'
/** On a content: its VolumeSnapshot is being deleted. */
export const BEING_DELETED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted'
/** On a content: the driver was asked for the snapshot, and has not given a final response. */
export const BEING_CREATED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-created'
/** On a content: the secret of CreateSnapshot and DeleteSnapshot. */
export const DELETION_SECRET_NAME = 'snapshot.storage.kubernetes.io/deletion-secret-name'
export const DELETION_SECRET_NAMESPACE = 'snapshot.storage.kubernetes.io/deletion-secret-namespace'
/** On a content that is a member of a group: the handle of the group. */
export const GROUP_HANDLE = 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle'
/** On a content: the node whose snapshotter handles it, with distributed snapshotting. */
export const MANAGED_BY = 'snapshot.storage.kubernetes.io/managed-by'
/** On a content: a restore may have another volume mode than the source. */
export const ALLOW_MODE_CHANGE = 'snapshot.storage.kubernetes.io/allow-volume-mode-change'

// The same for groups.

/** On a VolumeGroupSnapshot: its content is bound or may exist. */
export const GROUP_BOUND_FINALIZER = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection'
/** On a VolumeGroupSnapshotContent: the driver has or may have a group snapshot. */
export const GROUP_CONTENT_FINALIZER = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection'

export const DEFAULT_GROUP_SNAPSHOT_CLASS = 'groupsnapshot.storage.kubernetes.io/is-default-class'
/** On a group content: its VolumeGroupSnapshot is being deleted. */
export const GROUP_BEING_DELETED = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted'
/** On a group content: the driver was asked for the group snapshot, and has not given a final response. */
export const GROUP_BEING_CREATED = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created'
/** On a group content: the secret of CreateVolumeGroupSnapshot and DeleteVolumeGroupSnapshot. */
export const GROUP_DELETION_SECRET_NAME = 'groupsnapshot.storage.kubernetes.io/deletion-secret-name'
export const GROUP_DELETION_SECRET_NAMESPACE = 'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace'
