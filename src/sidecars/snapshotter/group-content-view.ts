import type { VolumeGroupSnapshotClass, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import type { CallHeld } from './driver-call.ts'

/** Everything known about one VolumeGroupSnapshotContent. */
export type GroupContentView = {
  readonly seen: {
    readonly content: VolumeGroupSnapshotContent
    /** The class that the content names. */
    readonly groupClass?: VolumeGroupSnapshotClass
  }
  /** Undefined if called from outside. */
  readonly held?: GroupContentHeld
}

export type GroupContentHeld = CallHeld<GroupAnswer> & {
  /** Whether the driver takes snapshots of several volumes at the same moment. */
  readonly canTakeGroups: boolean
}

export type GroupAnswer = {
  readonly groupHandle: string
  readonly creationTimeMs: number
  /** Never true with a problem. */
  readonly isReady: boolean
  readonly members: readonly MemberAnswer[]
  /** The problem of a response that has a handle: the group snapshot exists, so it must not be forgotten. */
  readonly problem?: string
}

export type MemberAnswer = {
  readonly volumeHandle: string
  readonly snapshotHandle: string
  /** Nanoseconds since 1970. */
  readonly creationTimeNs: bigint
  readonly sizeBytes: bigint
  readonly isReady: boolean
}

/** The content and its class, if they concern this driver. */
export function readGroupContentView(
  content: VolumeGroupSnapshotContent | undefined,
  findClass: (name: string) => VolumeGroupSnapshotClass | undefined,
  driver: string,
): GroupContentView['seen'] | undefined {
  if (!content || content.spec.driver !== driver) return undefined
  const groupClass = findClass(content.spec.volumeGroupSnapshotClassName ?? '')
  return { content, ...(groupClass ? { groupClass } : {}) }
}
