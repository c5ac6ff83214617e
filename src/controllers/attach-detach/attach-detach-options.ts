import { count, duration, flag } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'

/** The flags of the attach/detach controller, with upstream's names where upstream has them. */
export const attachDetachOptions = {
  attachDetachReconcileSyncPeriodMs: duration('1m', 'Interval between full syncs of all volumes.'),
  disableAttachDetachReconcileSync: flag(false, 'Disable the full syncs. Only changes are processed.'),
  disableForceDetachOnTimeout: flag(
    false,
    'Never force-detach a volume from a node that still reports it in use, however long the node has been unhealthy.',
  ),
  forceDetachTimeoutMs: duration(
    '6m',
    'How long to wait before a volume that is no longer needed is force-detached from an unhealthy node that still reports it in use.',
  ),
  attachDetachTimeoutMs: duration('2m', 'How long to wait before reporting that the attacher is not responding.'),
  nodeStatusGatherMs: duration(
    '50ms',
    'Maximum time to wait for more volumes of a node to be attached, so that one write to the node status covers all of them.',
  ),
  concurrentAttachDetachSyncs: count(
    50,
    'Number of attachments to process concurrently. The same number of workers is reserved for detaching.',
    { minimum: 1 },
  ),
} satisfies OptionTable

export type AttachDetachConfig = ConfigOf<typeof attachDetachOptions> & {
  /** The feature gate CSISkipAttach. If disabled, `attachRequired` of a CSIDriver is ignored, and every volume is attached. */
  readonly skipAttach: boolean
}
