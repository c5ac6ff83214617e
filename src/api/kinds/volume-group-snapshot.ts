import type { Int64 } from '../int64.ts'
import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObjectReference } from './references.ts'
import type { LabelSelector } from './selectors.ts'
import type { DeletionPolicy, VolumeSnapshotError } from './volume-snapshot.ts'

const GROUP = { group: 'groupsnapshot.storage.k8s.io', version: 'v1' } as const

export type VolumeGroupSnapshot = {
  readonly apiVersion: 'groupsnapshot.storage.k8s.io/v1'
  readonly kind: 'VolumeGroupSnapshot'
  readonly metadata: ObjectMeta
  readonly spec: VolumeGroupSnapshotSpec
  readonly status?: VolumeGroupSnapshotStatus
}

export const VOLUME_GROUP_SNAPSHOTS: ResourceType<VolumeGroupSnapshot> = {
  ...GROUP,
  kind: 'VolumeGroupSnapshot',
  plural: 'volumegroupsnapshots',
  namespaced: true,
}

export type VolumeGroupSnapshotSpec = {
  /** Exactly one: claims to snapshot at the same point in time, or an existing content. */
  readonly source: { readonly selector?: LabelSelector; readonly volumeGroupSnapshotContentName?: string }
  readonly volumeGroupSnapshotClassName?: string
}

export type VolumeGroupSnapshotStatus = {
  readonly boundVolumeGroupSnapshotContentName?: string
  readonly creationTime?: string
  readonly readyToUse?: boolean
  readonly error?: VolumeSnapshotError
}

export type VolumeGroupSnapshotContent = {
  readonly apiVersion: 'groupsnapshot.storage.k8s.io/v1'
  readonly kind: 'VolumeGroupSnapshotContent'
  readonly metadata: ObjectMeta
  readonly spec: VolumeGroupSnapshotContentSpec
  readonly status?: VolumeGroupSnapshotContentStatus
}

export const VOLUME_GROUP_SNAPSHOT_CONTENTS: ResourceType<VolumeGroupSnapshotContent> = {
  ...GROUP,
  kind: 'VolumeGroupSnapshotContent',
  plural: 'volumegroupsnapshotcontents',
  namespaced: false,
}

export type VolumeGroupSnapshotContentSpec = {
  readonly volumeGroupSnapshotRef: ObjectReference
  readonly deletionPolicy: DeletionPolicy
  readonly driver: string
  readonly volumeGroupSnapshotClassName?: string
  /** Exactly one: volumes to snapshot, or existing snapshots. */
  readonly source: {
    readonly volumeHandles?: readonly string[]
    readonly groupSnapshotHandles?: {
      readonly volumeGroupSnapshotHandle: string
      readonly volumeSnapshotHandles: readonly string[]
    }
  }
}

export type VolumeGroupSnapshotContentStatus = {
  readonly volumeGroupSnapshotHandle?: string
  readonly creationTime?: string
  readonly readyToUse?: boolean
  readonly error?: VolumeSnapshotError
  readonly volumeSnapshotInfoList?: readonly VolumeSnapshotInfo[]
}

export type VolumeSnapshotInfo = {
  readonly volumeHandle?: string
  readonly snapshotHandle?: string
  /** Nanoseconds since 1970. */
  readonly creationTime?: Int64
  readonly readyToUse?: boolean
  /** Bytes. */
  readonly restoreSize?: Int64
}

export type VolumeGroupSnapshotClass = {
  readonly apiVersion: 'groupsnapshot.storage.k8s.io/v1'
  readonly kind: 'VolumeGroupSnapshotClass'
  readonly metadata: ObjectMeta
  readonly driver: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly deletionPolicy: DeletionPolicy
}

export const VOLUME_GROUP_SNAPSHOT_CLASSES: ResourceType<VolumeGroupSnapshotClass> = {
  ...GROUP,
  kind: 'VolumeGroupSnapshotClass',
  plural: 'volumegroupsnapshotclasses',
  namespaced: false,
}
