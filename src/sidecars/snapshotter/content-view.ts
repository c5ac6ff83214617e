import type { VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { CallHeld } from './driver-call.ts'

/** Everything known about one VolumeSnapshotContent. */
export type ContentView = {
  readonly seen: {
    readonly content: VolumeSnapshotContent
    /** The class that the content names. */
    readonly snapshotClass?: VolumeSnapshotClass
  }
  /** Undefined if called from outside. */
  readonly held?: ContentHeld
}

export type ContentHeld = CallHeld<SnapshotAnswer> & {
  /** Whether the driver lists snapshots. If not, existing ones are assumed to be ready. */
  readonly canList: boolean
}

export type SnapshotAnswer = {
  readonly snapshotHandle: string
  /** Nanoseconds since 1970. */
  readonly creationTimeNs: bigint
  readonly sizeBytes: bigint
  readonly isReady: boolean
  readonly groupHandle?: string
}

/** The content and its class, if they concern this driver. */
export function readContentView(
  content: VolumeSnapshotContent | undefined,
  findClass: (name: string) => VolumeSnapshotClass | undefined,
  driver: string,
): ContentView['seen'] | undefined {
  if (!content || content.spec.driver !== driver) return undefined
  const snapshotClass = findClass(content.spec.volumeSnapshotClassName ?? '')
  return { content, ...(snapshotClass ? { snapshotClass } : {}) }
}
