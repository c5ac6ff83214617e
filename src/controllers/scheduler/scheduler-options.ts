import { count, duration, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the scheduler. */
export const schedulerOptions = {
  schedulerName: text('default-scheduler', 'Pods that name this scheduler are placed.'),
  workers: count(64, 'Pods worked on at the same time. Each is decided alone; writes go on side by side.', {
    minimum: 1,
  }),
  bindTimeoutMs: duration('10m', 'How long a node is kept for a pod whose volumes are being made ready.'),
  podInitialBackoffMs: duration(
    '1s',
    'Wait before a place is tried again for which the volume could not be made; it doubles with each further refusal.',
  ),
  podMaxBackoffMs: duration('10s', 'Longest wait before such a place is tried again.'),
} satisfies OptionTable

export type SchedulerConfig = ConfigOf<typeof schedulerOptions>
