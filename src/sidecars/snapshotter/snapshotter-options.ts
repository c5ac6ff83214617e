import type { SnapshotGates } from '../../api/snapshot-gates.ts'
import { count, duration, flag, integer, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The snapshotter's own flags, as upstream has them; those of the process are separate. */
export const snapshotterOptions = {
  timeoutMs: duration('1m', 'Timeout of each CSI call.'),
  workerThreads: count.optional(
    'Maximum number of snapshots to process concurrently. Default: 10 calls to the driver, adapted to what it can take.',
    { minimum: 1 },
  ),
  retryIntervalStartMs: duration('1s', 'Initial retry delay. It doubles with each failure.', {
    minimum: '1ms',
  }),
  retryIntervalMaxMs: duration('5m', 'Maximum retry delay.', { minimum: '1ms' }),
  snapshotNamePrefix: text('snapshot', 'Prefix of the names under which the driver takes snapshots.'),
  snapshotNameUuidLength: integer(-1, 'Number of characters of the UID in these names. -1 uses the whole UID.', {
    minimum: -1,
  }),
  groupsnapshotNamePrefix: text('groupsnapshot', 'Prefix of the names under which the driver takes group snapshots.'),
  groupsnapshotNameUuidLength: integer(-1, 'Number of characters of the UID in these names. -1 uses the whole UID.', {
    minimum: -1,
  }),
  extraCreateMetadata: flag(
    false,
    'Pass the names of snapshot and content to the driver as parameters of CreateSnapshot and CreateVolumeGroupSnapshot.',
  ),
  nodeDeployment: flag(
    false,
    'Take snapshots only of volumes on the node of this instance. Needs a snapshot-controller with --enable-distributed-snapshotting.',
  ),
  resyncPeriodMs: duration('15m', 'Accepted and not used: every change is followed.', { hidden: true }),
} satisfies OptionTable

export type SnapshotterConfig = ConfigOf<typeof snapshotterOptions> & {
  /** Default: all enabled. */
  readonly gates?: SnapshotGates
  /** The node of this instance, with `nodeDeployment`. */
  readonly nodeName?: string
}

/** Conflicts between these options. */
export const checkSnapshotterConfig = (config: {
  readonly nodeDeployment: boolean
  readonly leaderElection: boolean
}): string[] =>
  config.nodeDeployment && config.leaderElection
    ? ['Leader election cannot happen when node-deployment is set to true: remove --leader-election']
    : []
