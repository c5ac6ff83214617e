// Other programs read or write these names: none may change. Names that several parts use are in src/storage/names.ts.
export const DELETION_SECRET_NAME = 'volume.kubernetes.io/provisioner-deletion-secret-name'
export const DELETION_SECRET_NAMESPACE = 'volume.kubernetes.io/provisioner-deletion-secret-namespace'
export const PROVISIONER_IDENTITY = 'storage.kubernetes.io/csiProvisionerIdentity'

/** Holds a claim that is being cloned. */
export const CLONE_SOURCE_FINALIZER = 'provisioner.storage.kubernetes.io/cloning-protection'
/** Holds a VolumeSnapshot that is being restored. */
export const SNAPSHOT_SOURCE_FINALIZER = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection'

/** Parameters of a class that begin with this are for the provisioner, not for the driver. */
export const RESERVED_PREFIX = 'csi.storage.k8s.io/'

/** The flags for the names of volumes. */
export type VolumeNaming = { readonly volumeNamePrefix: string; readonly volumeNameUuidLength: number }

const DEFAULT_NAMING: VolumeNaming = { volumeNamePrefix: 'pvc', volumeNameUuidLength: -1 }

/**
 * The name of a claim's volume, in the driver and as PersistentVolume. It depends only on the UID, so that a call whose response was lost is repeated
 * with the same name.
 */
export function volumeNameOf(uid: string, naming: VolumeNaming = DEFAULT_NAMING): string {
  const { volumeNamePrefix: prefix, volumeNameUuidLength: length } = naming
  if (prefix === '') throw new Error('the prefix of volume names is empty')
  if (uid === '') throw new Error('a claim without uid can have no volume')
  return `${prefix}-${length < 0 ? uid : uid.replaceAll('-', '').slice(0, length)}`
}
