import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'

/** A call to the driver that has ended. Its secrets and tokens are gone from the request already. */
export type CallHappening = {
  readonly kind: 'call'
  /** On the clock that only grows. */
  readonly atMs: number
  readonly tookMs: number
  /** `sidecars`, or the node. */
  readonly by: string
  readonly rpc: string
  readonly request: Readonly<Record<string, unknown>>
  readonly code: string
}

/** An object of the API that is in another state than before. */
export type ObjectHappening = {
  readonly kind: 'object'
  readonly atMs: number
  /** With its kind: `PersistentVolumeClaim data`. */
  readonly object: string
  readonly state: string
}

export type Happening = CallHappening | ObjectHappening

/** All objects that the demonstration is about, as they were told last. */
export type DemoView = {
  readonly claims: readonly PersistentVolumeClaim[]
  readonly volumes: readonly PersistentVolume[]
  readonly pods: readonly Pod[]
  readonly attachments: readonly VolumeAttachment[]
  readonly snapshots: readonly VolumeSnapshot[]
  readonly contents: readonly VolumeSnapshotContent[]
  readonly drivers: readonly CSIDriver[]
  readonly registry: readonly AlphaCSIDriver[]
}
