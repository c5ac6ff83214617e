import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObjectReference, SecretReference } from './references.ts'
import type { ResourceList } from './resources.ts'
import type { NodeSelector } from './selectors.ts'

export type PersistentVolume = {
  readonly apiVersion: 'v1'
  readonly kind: 'PersistentVolume'
  readonly metadata: ObjectMeta
  readonly spec: PersistentVolumeSpec
  readonly status?: PersistentVolumeStatus
}

export const PERSISTENT_VOLUMES: ResourceType<PersistentVolume> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
}

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod'

export type VolumeMode = 'Filesystem' | 'Block'

export type ReclaimPolicy = 'Retain' | 'Delete' | 'Recycle'

/** Has exactly one source. Those of the old in-tree plugins are not written out: they stay in the object as they came. */
export type PersistentVolumeSpec = {
  readonly capacity?: ResourceList
  readonly accessModes?: readonly AccessMode[]
  /** With a uid it is this very claim, without one the next of that name. */
  readonly claimRef?: ObjectReference
  readonly persistentVolumeReclaimPolicy?: ReclaimPolicy
  /** Empty and absent mean the same here, unlike in a claim. */
  readonly storageClassName?: string
  readonly mountOptions?: readonly string[]
  readonly volumeMode?: VolumeMode
  /** Nodes that can reach the volume; left out: all. */
  readonly nodeAffinity?: { readonly required?: NodeSelector }
  readonly volumeAttributesClassName?: string
  readonly csi?: CSIPersistentVolumeSource
  readonly hostPath?: { readonly path: string; readonly type?: string }
  readonly local?: { readonly path: string; readonly fsType?: string }
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean }
}

export type CSIPersistentVolumeSource = {
  readonly driver: string
  readonly volumeHandle: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: Readonly<Record<string, string>>
  readonly controllerPublishSecretRef?: SecretReference
  readonly nodeStageSecretRef?: SecretReference
  readonly nodePublishSecretRef?: SecretReference
  readonly controllerExpandSecretRef?: SecretReference
  readonly nodeExpandSecretRef?: SecretReference
}

export type PersistentVolumePhase = 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed'

export type PersistentVolumeStatus = {
  readonly phase?: PersistentVolumePhase
  readonly message?: string
  readonly reason?: string
  readonly lastPhaseTransitionTime?: string
}
