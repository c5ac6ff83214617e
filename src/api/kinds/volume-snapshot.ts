import type { Int64 } from '../int64.ts'
import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { VolumeMode } from './persistent-volume.ts'
import type { ObjectReference } from './references.ts'
import type { Quantity } from './resources.ts'

const GROUP = { group: 'snapshot.storage.k8s.io', version: 'v1' } as const

export type VolumeSnapshot = {
  readonly apiVersion: 'snapshot.storage.k8s.io/v1'
  readonly kind: 'VolumeSnapshot'
  readonly metadata: ObjectMeta
  readonly spec: VolumeSnapshotSpec
  readonly status?: VolumeSnapshotStatus
}

export const VOLUME_SNAPSHOTS: ResourceType<VolumeSnapshot> = {
  ...GROUP,
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  namespaced: true,
}

export type VolumeSnapshotSpec = {
  /** Exactly one: a claim to snapshot, or an existing content. */
  readonly source: { readonly persistentVolumeClaimName?: string; readonly volumeSnapshotContentName?: string }
  /** Default: the default class of the driver. */
  readonly volumeSnapshotClassName?: string
}

export type VolumeSnapshotStatus = {
  readonly boundVolumeSnapshotContentName?: string
  readonly creationTime?: string
  readonly readyToUse?: boolean
  readonly restoreSize?: Quantity
  readonly error?: VolumeSnapshotError
  readonly volumeGroupSnapshotName?: string
}

export type VolumeSnapshotError = { readonly time?: string; readonly message?: string }

export type DeletionPolicy = 'Delete' | 'Retain'

export type VolumeSnapshotContent = {
  readonly apiVersion: 'snapshot.storage.k8s.io/v1'
  readonly kind: 'VolumeSnapshotContent'
  readonly metadata: ObjectMeta
  readonly spec: VolumeSnapshotContentSpec
  readonly status?: VolumeSnapshotContentStatus
}

export const VOLUME_SNAPSHOT_CONTENTS: ResourceType<VolumeSnapshotContent> = {
  ...GROUP,
  kind: 'VolumeSnapshotContent',
  plural: 'volumesnapshotcontents',
  namespaced: false,
}

export type VolumeSnapshotContentSpec = {
  readonly volumeSnapshotRef: ObjectReference
  readonly deletionPolicy: DeletionPolicy
  readonly driver: string
  readonly volumeSnapshotClassName?: string
  /** Exactly one: a volume to snapshot, or an existing snapshot. */
  readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string }
  readonly sourceVolumeMode?: VolumeMode | null
}

export type VolumeSnapshotContentStatus = {
  readonly snapshotHandle?: string
  /** Nanoseconds since 1970. */
  readonly creationTime?: Int64
  /** Bytes. */
  readonly restoreSize?: Int64
  readonly readyToUse?: boolean
  readonly error?: VolumeSnapshotError
  readonly volumeGroupSnapshotHandle?: string
}

export type VolumeSnapshotClass = {
  readonly apiVersion: 'snapshot.storage.k8s.io/v1'
  readonly kind: 'VolumeSnapshotClass'
  readonly metadata: ObjectMeta
  readonly driver: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly deletionPolicy: DeletionPolicy
}

export const VOLUME_SNAPSHOT_CLASSES: ResourceType<VolumeSnapshotClass> = {
  ...GROUP,
  kind: 'VolumeSnapshotClass',
  plural: 'volumesnapshotclasses',
  namespaced: false,
}
