import type { BackoffOptions } from '../../base/backoff.ts'
import type { RoleParts } from '../role.ts'
import type { CapacityTracker } from './capacity/capacity-controller.ts'
import type { Journal } from './journal/journal.ts'
import type { ProvisionMetrics } from './provision-metrics.ts'
import type { Attempt, ProvisionSources } from './provision-view.ts'
import type { ProvisionerConfig, ProvisionSettings } from './provisioner-options.ts'

/** What the controllers of a provisioner share. */
export type ProvisionerState = RoleParts & {
  readonly config: ProvisionerConfig
  readonly settings: ProvisionSettings
  readonly backoff: BackoffOptions
  readonly metrics: ProvisionMetrics
  readonly sources: ProvisionSources
  /** Volumes that may exist without a PersistentVolume, by the uid of their claim. */
  readonly attempts: Map<string, Attempt>
  /** Undefined where leases may not be written. */
  readonly journal: Journal | undefined
  /** Undefined: capacity is not published. */
  readonly capacity: Omit<CapacityTracker, 'controllers'> | undefined
  /** A call that needed the source has ended. Undefined: the driver can't copy. */
  readonly sourceReleased: ((sourceKey: string) => void) | undefined
}
