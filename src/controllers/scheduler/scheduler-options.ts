import { count, duration, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

export const schedulerOptions = {
  schedulerName: text('default-scheduler', 'Schedule pods with this schedulerName.'),
  workers: count(
    64,
    'Number of pods to process concurrently. Scheduling decisions are sequential; only their writes are concurrent.',
    {
      minimum: 1,
    },
  ),
  bindTimeoutMs: duration('10m', 'How long a node is reserved for a pod while its volumes are being provisioned.'),
  podInitialBackoffMs: duration(
    '1s',
    'Initial delay before retrying a node for which the volume could not be provisioned. It doubles with each failure.',
  ),
  podMaxBackoffMs: duration('10s', 'Maximum delay before retrying such a node.'),
} satisfies OptionTable

export type SchedulerConfig = ConfigOf<typeof schedulerOptions>
