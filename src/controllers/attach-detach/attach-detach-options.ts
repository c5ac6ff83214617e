import { count, duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the attach/detach controller; those that upstream has too have its names. */
export const attachDetachOptions = {
  attachDetachReconcileSyncPeriodMs: duration(
    '1m',
    'Wait between two looks at everything, whether or not something was seen to change.',
  ),
  disableAttachDetachReconcileSync: flag(false, 'Look only at what changes.'),
  disableForceDetachOnTimeout: flag(
    false,
    'Never detach from a node that still says that it uses the volume, however long it has been unhealthy.',
  ),
  forceDetachTimeoutMs: duration(
    '6m',
    'How long a volume that nobody wants any more may stay in use on an unhealthy node before it is detached all the same.',
  ),
  attachDetachTimeoutMs: duration('2m', 'How long to wait for an attacher before its silence is told.'),
  nodeStatusGatherMs: duration(
    '50ms',
    'Longest wait for further volumes of a node that are about to be attached, so that one write tells of all.',
  ),
  concurrentAttachDetachSyncs: count(
    50,
    'Attachments looked at at the same time; as many again are kept for detaching.',
    { minimum: 1 },
  ),
} satisfies OptionTable

export type AttachDetachConfig = ConfigOf<typeof attachDetachOptions> & {
  /** The gate CSISkipAttach. Off: `attachRequired` of a CSIDriver is not looked at, and every volume is attached. */
  readonly skipAttach: boolean
}
