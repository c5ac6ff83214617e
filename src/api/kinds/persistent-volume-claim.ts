import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { Condition } from './condition.ts'
import type { AccessMode, VolumeMode } from './persistent-volume.ts'
import type { TypedLocalObjectReference, TypedObjectReference } from './references.ts'
import type { ResourceList, ResourceRequirements } from './resources.ts'
import type { LabelSelector } from './selectors.ts'

export type PersistentVolumeClaim = {
  readonly apiVersion: 'v1'
  readonly kind: 'PersistentVolumeClaim'
  readonly metadata: ObjectMeta
  readonly spec: PersistentVolumeClaimSpec
  readonly status?: PersistentVolumeClaimStatus
}

export const PERSISTENT_VOLUME_CLAIMS: ResourceType<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
}

export type PersistentVolumeClaimSpec = {
  readonly accessModes?: readonly AccessMode[]
  readonly selector?: LabelSelector
  readonly resources?: ResourceRequirements
  readonly volumeName?: string
  /** Left out asks for the default class; empty asks for a volume that has none. */
  readonly storageClassName?: string
  readonly volumeMode?: VolumeMode
  /** A claim or a snapshot to begin with. The server keeps it equal to `dataSourceRef` unless that names a namespace. */
  readonly dataSource?: TypedLocalObjectReference
  readonly dataSourceRef?: TypedObjectReference
  readonly volumeAttributesClassName?: string
}

export type PersistentVolumeClaimPhase = 'Pending' | 'Bound' | 'Lost'

export type PersistentVolumeClaimStatus = {
  readonly phase?: PersistentVolumeClaimPhase
  readonly accessModes?: readonly AccessMode[]
  readonly capacity?: ResourceList
  readonly conditions?: readonly PersistentVolumeClaimCondition[]
  /** What an expansion that began may already have taken: quota counts the larger of this and the request. */
  readonly allocatedResources?: ResourceList
  /** By resource name, how far an expansion is. Absent: none is under way. */
  readonly allocatedResourceStatuses?: Readonly<Record<string, ClaimResourceStatus>>
  readonly currentVolumeAttributesClassName?: string
  readonly modifyVolumeStatus?: ModifyVolumeStatus
}

/** `Resizing`, `FileSystemResizePending`, `ModifyingVolume` and others. */
export type PersistentVolumeClaimCondition = Condition & { readonly lastProbeTime?: string | null }

export type ClaimResourceStatus =
  | 'ControllerResizeInProgress'
  | 'ControllerResizeInfeasible'
  | 'NodeResizePending'
  | 'NodeResizeInProgress'
  | 'NodeResizeInfeasible'

export type ModifyVolumeStatus = {
  readonly targetVolumeAttributesClassName?: string
  readonly status: 'Pending' | 'InProgress' | 'Infeasible'
}
