import { count, duration, integer, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the attacher itself, with upstream's names. Those of the process are in `standard-options.ts`. */
export const attacherOptions = {
  timeoutMs: duration('15s', 'Timeout of each CSI call.'),
  workerThreads: count.optional(
    'Maximum number of attachments to process concurrently, and of volumes to detach. Default: 10 calls to the driver, adapted to what it can take.',
    { minimum: 1 },
  ),
  retryIntervalStartMs: duration('1s', 'Initial retry delay. It doubles with each failure.'),
  retryIntervalMaxMs: duration('5m', 'Maximum retry delay.'),
  reconcileSyncMs: duration(
    '1m',
    'Interval between comparisons with the published volumes in ListVolumes. 0 disables them.',
  ),
  maxEntries: count(0, 'Maximum number of volumes per page of ListVolumes. 0 lets the driver decide.'),
  defaultFstype: text('', 'Default filesystem type of volumes.'),
  volumeReleaseDelayMs: duration(
    '1m',
    'How long a volume keeps its finalizer after the last detach. This saves writes if it is attached again.',
  ),
  maxGrpcLogLength: integer(-1, 'Accepted and ignored: answers of the driver are not logged.', { hidden: true }),
  resyncMs: duration('10m', 'Accepted and ignored: every change is watched.', { hidden: true }),
} satisfies OptionTable

export type AttacherConfig = ConfigOf<typeof attacherOptions>
