import type { SnapshotGates } from '../../api/snapshot-gates.ts'
import { count, duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the snapshot-controller, as upstream has them. */
export const snapshotOptions = {
  workerThreads: count(10, 'Number of snapshots to process concurrently.', { minimum: 1 }),
  retryIntervalStartMs: duration('1s', 'Initial retry delay. It doubles with each failure.', { minimum: '1ms' }),
  retryIntervalMaxMs: duration('5m', 'Maximum retry delay.', { minimum: '1ms' }),
  preventVolumeModeConversion: flag(
    true,
    'Record the volume mode of the source, so that a restore cannot change it unnoticed.',
  ),
  enableDistributedSnapshotting: flag(
    false,
    'Label contents with the node of their volume, so that the csi-snapshotter on that node takes the snapshot (--node-deployment).',
  ),
} satisfies OptionTable

export type SnapshotConfig = ConfigOf<typeof snapshotOptions> & {
  /** Default: all enabled. */
  readonly gates?: SnapshotGates
}
