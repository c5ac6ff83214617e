import { count, duration, featureGates, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The resizer's own flags, as upstream has them; those of the process are separate. */
export const resizerOptions = {
  timeoutMs: duration('10s', 'Timeout of each CSI call.'),
  workers: count.optional(
    'Maximum number of claims to expand, and of claims to modify, concurrently. Default: 10 calls to the driver, adapted to what it can take.',
    { minimum: 1 },
  ),
  retryIntervalStartMs: duration('1s', 'Initial retry delay. It doubles with each failure.', {
    minimum: '1ms',
  }),
  retryIntervalMaxMs: duration('5m', 'Maximum retry delay.', { minimum: '1ms' }),
  handleVolumeInuseError: flag(
    true,
    'Do not retry a volume that the driver refused to expand because it was in use, as long as a pod uses it.',
  ),
  extraModifyMetadata: flag(
    false,
    'Pass the names of claim and volume to the driver as parameters of ControllerModifyVolume.',
  ),
  featureGates: featureGates(
    {
      AnnotateFsResize: { default: true, stage: 'GA' },
      RecoverVolumeExpansionFailure: { default: true, stage: 'GA' },
      VolumeAttributesClass: { default: true, stage: 'GA' },
      ReleaseLeaderElectionOnExit: { default: true, stage: 'beta' },
    },
    'Features to enable or disable. The lease is always released on exit.',
  ),
  resyncPeriodMs: duration('10m', 'Accepted and not used: every change is followed.', { hidden: true }),
} satisfies OptionTable

export type ResizerConfig = ConfigOf<typeof resizerOptions>
