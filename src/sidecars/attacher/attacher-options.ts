import { count, duration, text } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the attacher itself, as upstream has them; those of the process are apart. */
export const attacherOptions = {
  timeoutMs: duration('15s', 'Longest wait for one driver call.'),
  workerThreads: count(10, 'Attachments worked on at the same time; as many again are kept for detaching.', {
    minimum: 1,
  }),
  retryIntervalStartMs: duration(
    '1s',
    'Wait before the second try of what failed; it doubles with each further failure.',
  ),
  retryIntervalMaxMs: duration('5m', 'Longest wait between two tries.'),
  reconcileSyncMs: duration(
    '1m',
    'Wait between two comparisons with the volumes that the driver lists as published; 0 means never.',
  ),
  maxEntries: count(0, 'Volumes that the driver may list in one answer; 0 means that the driver decides.'),
  defaultFstype: text('', 'File system of volumes that name none.'),
  volumeReleaseDelayMs: duration(
    '1m',
    'How long a volume stays protected after its last detach, to spare a write when it is attached again.',
  ),
  resyncMs: duration('10m', 'Accepted and not used: every change is followed.', { hidden: true }),
} satisfies OptionTable

export type AttacherConfig = ConfigOf<typeof attacherOptions>
