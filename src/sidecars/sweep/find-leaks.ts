import { findAttachmentLeaks } from './find-attachment-leaks.ts'
import { findSnapshotLeaks } from './find-snapshot-leaks.ts'
import { findVolumeLeaks } from './find-volume-leaks.ts'
import type { Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'

/** What the driver has. */
export type DriverSide = {
  /** Undefined if the driver cannot list volumes. */
  readonly volumes?: ReadonlyMap<string, { readonly sizeBytes: number; readonly nodeIds: readonly string[] }>
  /** Whether the driver lists the nodes of a volume. */
  readonly listsNodes: boolean
  /** Undefined if the driver cannot list snapshots. */
  readonly snapshots?: ReadonlyMap<string, { readonly sizeBytes: number }>
}

/** Whether the journal of this cluster proves that a volume was created for it. */
export type IsOwn = (volumeHandle: string) => boolean

/** Everything that only one side knows. Objects that are being deleted are not compared: either side may be first. */
export function findLeaks(driver: DriverSide, cluster: ClusterSide, isOwn: IsOwn = () => false): Leak[] {
  return [
    ...findVolumeLeaks(driver, cluster, isOwn),
    ...findAttachmentLeaks(driver, cluster),
    ...findSnapshotLeaks(driver, cluster),
  ]
}
