import { count, duration } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

export const binderOptions = {
  workers: count(20, 'Number of claims, and number of volumes, to process concurrently.', { minimum: 1 }),
  retryIntervalStartMs: duration('500ms', 'Initial retry delay. It doubles with each failure.'),
  retryIntervalMaxMs: duration('122s', 'Maximum retry delay.'),
  podPatienceMs: duration(
    '15s',
    'How long a pod may be unscheduled before events on its claims report that they are waiting for the scheduler.',
  ),
} satisfies OptionTable

export type BinderConfig = ConfigOf<typeof binderOptions>
