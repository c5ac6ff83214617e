// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { FSGroupPolicy, Quantity, ReclaimPolicy, VolumeBindingMode, VolumeLifecycleMode } from '../values.ts'
import type { PersistentVolumeSpec, TopologySelectorTerm, VolumeSource } from './core-v1.ts'
import type { LabelSelector } from './meta-v1.ts'

/** Named after the driver. */
export type CSIDriver = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'CSIDriver'
  readonly metadata: ObjectMeta
  readonly spec: CSIDriverSpec
}

export type CSIDriverSpec = {
  /** Default true: a node uses a volume only after a VolumeAttachment reports it as attached. */
  readonly attachRequired?: boolean
  /** Default false. */
  readonly podInfoOnMount?: boolean
  /** Default `['Persistent']`. */
  readonly volumeLifecycleModes?: readonly VolumeLifecycleMode[]
  /** Default false: the scheduler does not look at CSIStorageCapacity objects. */
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: FSGroupPolicy
  readonly tokenRequests?: readonly TokenRequest[]
  /** Default false: NodePublishVolume is not repeated while the pod runs. */
  readonly requiresRepublish?: boolean
  /** Default false: volumes are mounted without `-o context`. */
  readonly seLinuxMount?: boolean
  /** At least 10. If unset, the node's limit is read at registration only. */
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  /** Default false: tokens go into the volume context, not into the secrets. */
  readonly serviceAccountTokenInSecrets?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
}

/** Named after the node: the drivers that are registered on it. */
export type CSINode = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'CSINode'
  readonly metadata: ObjectMeta
  readonly spec: CSINodeSpec
}

export type CSINodeDriver = {
  readonly name: string
  /** The driver's own ID of the node. */
  readonly nodeID: string
  /** Node labels that describe which volumes the node can reach. */
  readonly topologyKeys: readonly string[] | null
  /** Without a count the driver sets no limit. */
  readonly allocatable?: VolumeNodeResources
}

export type CSINodeSpec = {
  /** Some servers write an empty list as null. */
  readonly drivers: readonly CSINodeDriver[] | null
}

/** The available capacity for one storage class in one part of the cluster. */
export type CSIStorageCapacity = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'CSIStorageCapacity'
  readonly metadata: ObjectMeta
  /** If unset, no node; if empty, every node. */
  readonly nodeTopology?: LabelSelector
  readonly storageClassName: string
  /** If unset, the capacity is unknown. */
  readonly capacity?: Quantity
  /** If unset, `capacity` is the limit. */
  readonly maximumVolumeSize?: Quantity
}

export type StorageClass = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'StorageClass'
  readonly metadata: ObjectMeta
  readonly provisioner: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly reclaimPolicy?: ReclaimPolicy
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: VolumeBindingMode
  /** A new volume must match one of the terms. If unset, any topology. */
  readonly allowedTopologies?: readonly TopologySelectorTerm[]
}

/** An empty audience is that of the API server. */
export type TokenRequest = {
  readonly audience: string
  readonly expirationSeconds?: number
}

export type VolumeAttachment = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'VolumeAttachment'
  readonly metadata: ObjectMeta
  readonly spec: VolumeAttachmentSpec
  readonly status?: VolumeAttachmentStatus
}

export type VolumeAttachmentSource = {
  readonly persistentVolumeName?: string
  readonly inlineVolumeSpec?: PersistentVolumeSpec
  /** The source of a pod's volume. Only Holdfast's own API server accepts it, and stores it as `inlineVolumeSpec`. */
  readonly volumeSource?: VolumeSource
}

export type VolumeAttachmentSpec = {
  readonly attacher: string
  /** Exactly one member is set. */
  readonly source: VolumeAttachmentSource
  readonly nodeName: string
}

export type VolumeAttachmentStatus = {
  readonly attached: boolean
  /** Returned by the driver; the node passes it on when it stages and publishes the volume. */
  readonly attachmentMetadata?: Readonly<Record<string, string>>
  readonly attachError?: VolumeError
  readonly detachError?: VolumeError
}

export type VolumeAttributesClass = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'VolumeAttributesClass'
  readonly metadata: ObjectMeta
  readonly driverName: string
  readonly parameters?: Readonly<Record<string, string>>
}

export type VolumeError = {
  readonly time?: string | null
  readonly message?: string
  /** The gRPC code, for some failures. */
  readonly errorCode?: number
}

export type VolumeNodeResources = {
  readonly count?: number
}
