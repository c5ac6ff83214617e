import { duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

export const sweepOptions = {
  intervalMs: duration('10m', 'Interval between comparisons of the driver with the cluster.', { minimum: '1s' }),
  settleMs: duration('30s', 'Pause before a second comparison. Only what is found both times is reported.'),
  timeoutMs: duration('30s', 'Timeout of each CSI call.', { minimum: '1s' }),
  delete: flag(
    false,
    'Delete volumes that were provisioned for this cluster, have lost their PersistentVolume, and are used by nobody. Everything else is only reported.',
  ),
  graceMs: duration('24h', 'How long such a volume has to be without an owner before it is deleted.', {
    minimum: '1m',
  }),
} satisfies OptionTable

export type SweepConfig = ConfigOf<typeof sweepOptions>
