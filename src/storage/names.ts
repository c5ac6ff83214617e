import type { ObjectMeta } from '../api/object.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'

// Other programs also read and write these, so none may change.
/** On a VolumeAttachment: the handle of the volume that our attacher is publishing or has published. */
export const ATTACHED_HANDLE = 'attacher.holdfast.dev/volume-handle'
/** On a VolumeAttachment of an in-line volume: the namespace of its secrets. */
export const IN_LINE_NAMESPACE = 'attach-detach.holdfast.dev/namespace'
/** On a claim: it has been bound completely. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
/** On a claim or a volume: the other one was chosen by a controller, not by a person. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
/** On a volume: the provisioner that created it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** On a volume or a claim of a former in-tree kind: the CSI driver that it was migrated to. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to'
/** On a claim: the provisioner that should create its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner'
/** On a claim: the node that the scheduler selected. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
export const ALPHA_SELECTED_NODE = 'volume.alpha.kubernetes.io/selected-node'
/** On a claim or a volume: the predecessor of spec.storageClassName. */
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class'
/** On a volume that is being expanded: the capacity of its claim until that is done. */
export const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity'
/** On a claim: its volume needs nothing from the node after the last expansion. */
export const NODE_EXPANSION_NOT_REQUIRED = 'volume.kubernetes.io/node-expansion-not-required'
/** On a pod: the size to which the node has to expand this volume of the pod. Nodes watch their pods, and may not watch claims. */
export const expansionHint = (podVolumeName: string): string => `${EXPANSION_HINTS}${podVolumeName}`
export const EXPANSION_HINTS = 'expansion.holdfast.dev/'
/** On a volume: the secret of ControllerModifyVolume. */
export const MODIFY_SECRET_NAME = 'volume.kubernetes.io/controller-modify-secret-name'
export const MODIFY_SECRET_NAMESPACE = 'volume.kubernetes.io/controller-modify-secret-namespace'
/** On a node: without it, the attach/detach controller does not touch the node's volumes. */
export const MANAGED_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach'
/** Label of a CSIStorageCapacity: the driver that it describes. */
export const DRIVER_NAME_LABEL = 'csi.storage.k8s.io/drivername'
/** The provisioner of a class whose volumes are created manually. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

export const PVC_PROTECTION = 'kubernetes.io/pvc-protection'
export const PV_PROTECTION = 'kubernetes.io/pv-protection'
export const VAC_PROTECTION = 'kubernetes.io/vac-protection'
/** Holds a PersistentVolume until its volume is deleted. */
export const VOLUME_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer'

type WithMetadata = { readonly metadata: ObjectMeta }
type WithClass = WithMetadata & { readonly spec: { readonly storageClassName?: string } }

/** Undefined if the annotation is absent; an existing one may be empty. */
export function findAnnotation({ metadata }: WithMetadata, key: string): string | undefined {
  const { annotations = {} } = metadata
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined
}

export const hasAnnotation = (object: WithMetadata, key: string): boolean => findAnnotation(object, key) !== undefined

/** The node that the scheduler selected for the claim; empty if none. The alpha annotation counts if the current one is absent. */
export function selectedNodeOf(claim: WithMetadata): string {
  return findAnnotation(claim, SELECTED_NODE) ?? findAnnotation(claim, ALPHA_SELECTED_NODE) ?? ''
}

/** The class of a claim or a volume; the beta annotation takes precedence over the field. Undefined: no class is set, not even the empty one. */
export function findClassName(object: WithClass): string | undefined {
  return findAnnotation(object, BETA_STORAGE_CLASS) ?? object.spec.storageClassName
}

/** Like `findClassName`, but the empty string if no class is set. */
export const classNameOf = (object: WithClass): string => findClassName(object) ?? ''

/** Whether claims of the class wait for their pod. False for a class that does not exist. */
export const isDelayedBinding = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
