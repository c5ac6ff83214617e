// What others read or write too: none of it may change. Names that other parts have as well are in src/storage/names.ts.
export const DELETION_SECRET_NAME = 'volume.kubernetes.io/provisioner-deletion-secret-name'
export const DELETION_SECRET_NAMESPACE = 'volume.kubernetes.io/provisioner-deletion-secret-namespace'
export const MODIFY_SECRET_NAME = 'volume.kubernetes.io/controller-modify-secret-name'
export const MODIFY_SECRET_NAMESPACE = 'volume.kubernetes.io/controller-modify-secret-namespace'
export const ALLOW_VOLUME_MODE_CHANGE = 'snapshot.storage.kubernetes.io/allow-volume-mode-change'
export const PROVISIONER_IDENTITY = 'storage.kubernetes.io/csiProvisionerIdentity'

/** Holds a PersistentVolume until its volume is deleted. */
export const VOLUME_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer'
/** Holds a claim that is being cloned. */
export const CLONE_SOURCE_FINALIZER = 'provisioner.storage.kubernetes.io/cloning-protection'
/** Holds a VolumeSnapshot that is being restored. */
export const SNAPSHOT_SOURCE_FINALIZER = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection'
