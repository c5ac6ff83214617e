import type { ObjectMeta } from '../../api/object.ts'

// What others read or write too: none of it may change.
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner'
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to'
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
export const ALPHA_SELECTED_NODE = 'volume.alpha.kubernetes.io/selected-node'
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class'
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
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
type WithMetadata = { readonly metadata: ObjectMeta }

/** Undefined when there is no such annotation; one that is there may be empty. */
export function findAnnotation({ metadata }: WithMetadata, key: string): string | undefined {
  const { annotations = {} } = metadata
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined
}

/** The node that the scheduler picked for the claim; empty when it picked none. The old name counts where the new one is absent. */
export function selectedNodeOf(claim: WithMetadata): string {
  return findAnnotation(claim, SELECTED_NODE) ?? findAnnotation(claim, ALPHA_SELECTED_NODE) ?? ''
}

/** The class of a claim; the annotation from before there was a field wins. Empty when it has none. */
export function classNameOf(claim: WithMetadata & { readonly spec: { readonly storageClassName?: string } }): string {
  return findAnnotation(claim, BETA_STORAGE_CLASS) ?? claim.spec.storageClassName ?? ''
}
