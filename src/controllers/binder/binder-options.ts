import { count, duration } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the binder. */
export const binderOptions = {
  workers: count(20, 'Claims worked on at the same time, and as many volumes.', { minimum: 1 }),
  retryIntervalStartMs: duration(
    '500ms',
    'Wait before the second try of what failed; it doubles with each further failure.',
  ),
  retryIntervalMaxMs: duration('122s', 'Longest wait between two tries.'),
  podPatienceMs: duration(
    '15s',
    'How long a pod may be without a node before its claims say that they wait for the scheduler.',
  ),
} satisfies OptionTable

export type BinderConfig = ConfigOf<typeof binderOptions>
