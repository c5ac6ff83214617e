import type { ObjectMeta } from '../api/object.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'

// What others read or write too: none of it may change.
/** On an attachment: the volume that our attacher is about to publish or has published. */
export const ATTACHED_HANDLE = 'attacher.holdfast.dev/volume-handle'
/** On an attachment that was made for a pod's own volume: the namespace whose secrets it uses. */
export const IN_LINE_NAMESPACE = 'attach-detach.holdfast.dev/namespace'
/** On a claim: somebody has bound it completely. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
/** On a claim or a volume: the other one was chosen by a controller, not by a person. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
/** On a volume: by whom it was made. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** On a volume or a claim of a former in-tree kind: the driver that has taken it over. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to'
/** On a claim: who is to make its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner'
/** On a claim: the node that the scheduler picked. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
export const ALPHA_SELECTED_NODE = 'volume.alpha.kubernetes.io/selected-node'
/** On a claim or a volume, from before there was a field. */
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class'
/** On a volume that is growing: what its claim may count on until that is done. */
export const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity'
/** What a class names as its provisioner when its volumes are made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

export const PVC_PROTECTION = 'kubernetes.io/pvc-protection'
export const PV_PROTECTION = 'kubernetes.io/pv-protection'

type WithMetadata = { readonly metadata: ObjectMeta }
type WithClass = WithMetadata & { readonly spec: { readonly storageClassName?: string } }

/** Undefined when there is no such annotation; one that is there may be empty. */
export function findAnnotation({ metadata }: WithMetadata, key: string): string | undefined {
  const { annotations = {} } = metadata
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined
}

export const hasAnnotation = (object: WithMetadata, key: string): boolean => findAnnotation(object, key) !== undefined

/** The node that the scheduler picked for the claim; empty when it picked none. The old name counts where the new one is absent. */
export function selectedNodeOf(claim: WithMetadata): string {
  return findAnnotation(claim, SELECTED_NODE) ?? findAnnotation(claim, ALPHA_SELECTED_NODE) ?? ''
}

/** The class of a claim or a volume; the annotation from before there was a field wins. Undefined: none is named, not even the empty one. */
export function findClassName(object: WithClass): string | undefined {
  return findAnnotation(object, BETA_STORAGE_CLASS) ?? object.spec.storageClassName
}

/** As `findClassName`, where none and the empty one are the same. */
export const classNameOf = (object: WithClass): string => findClassName(object) ?? ''

/** Whether claims of the class wait for their pod. Of a class that is not there: no. */
export const isDelayedBinding = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
