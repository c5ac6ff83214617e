import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Driver } from '../../csi/rpc.ts'
import type { FollowedKind, Watch } from '../../kube/controller/index.ts'
import type { WorkQueue } from '../../kube/controller/work-queue.ts'
import type { CapabilityRules } from '../../storage/volume-capability.ts'
import type { ResizerConfig } from './resizer-options.ts'

/** What the controllers of the resizer share. */
export type ResizerParts = {
  readonly driver: Driver
  readonly driverName: string
  readonly config: ResizerConfig
  readonly capabilityRules: CapabilityRules
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  readonly claims: FollowedKind<PersistentVolumeClaim>
  readonly volumes: FollowedKind<PersistentVolume>
}
