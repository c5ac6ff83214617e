import { findAttachmentLeaks } from './find-attachment-leaks.ts'
import { findSnapshotLeaks } from './find-snapshot-leaks.ts'
import { findVolumeLeaks } from './find-volume-leaks.ts'
import type { IsOwn, Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'
import type { DriverSide } from './read-driver-side.ts'

/** Everything that only one side knows. Objects that are being deleted are not compared: either side may be first. */
export function findLeaks(driver: DriverSide, cluster: ClusterSide, isOwn: IsOwn = () => false): Leak[] {
  return [
    ...findVolumeLeaks(driver, cluster, isOwn),
    ...findAttachmentLeaks(driver, cluster),
    ...findSnapshotLeaks(driver, cluster),
  ]
}
