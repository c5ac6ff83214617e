import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import { attachmentNameOf, isAttachmentName } from '../../storage/attachment-name.ts'
import type { AttachmentView, ForceReason } from './attachment-view.ts'
import { isHealthy, isInUse, isManaged, isOutOfService } from './node-facts.ts'
import { REASONS } from './reasons.ts'

export type DetachVerdict =
  | { readonly may: true; readonly forced?: ForceReason }
  | { readonly may: false; readonly reason: Reason; readonly retryInMs?: number }

/** Whether a volume that nobody wants may be taken from its node, as far as the node is concerned. */
export function mayDetach(view: AttachmentView): DetachVerdict {
  const { nodeName, node, volumeName = '' } = view.seen
  const { nowMs = 0, unwantedSinceMs = nowMs, forceDetachAfterMs } = view.held ?? {}
  if (node && !isManaged(node)) return { may: false, reason: REASONS.nodeNotManaged(nodeName) }
  if (!mayBeUsed(view)) return { may: true }
  if (isOutOfService(node)) return { may: true, forced: 'out-of-service' }
  const reason = REASONS.inUse(nodeName, { volume: volumeName, nodeIsHealthy: String(isHealthy(node)) })
  if (isHealthy(node) || forceDetachAfterMs === undefined) return { may: false, reason }
  // Counted from when nobody wanted it any more, not from when the node fell silent.
  const retryInMs = unwantedSinceMs + forceDetachAfterMs - nowMs
  return retryInMs > 0 ? { may: false, reason, retryInMs } : { may: true, forced: 'timeout' }
}

/** What is not known counts as used. */
function mayBeUsed({ seen: { name, nodeName, node, volumeName }, held }: AttachmentView): boolean {
  if (node && volumeName !== undefined) return isInUse(node, volumeName)
  // Nothing that the node speaks of has this attachment's name.
  if (node) return !isAttachmentName(name)
  const { lastInUse } = held ?? {}
  if (!lastInUse) return true
  return volumeName === undefined
    ? !isAttachmentName(name) || lastInUse.some((each) => attachmentNameOf(each, nodeName) === name)
    : lastInUse.includes(volumeName)
}

/** The object is still there, kept by somebody else, and the volume no longer is: whoever attached it has let go. */
export function isReleased({ metadata: { deletionTimestamp, finalizers = [] }, status }: VolumeAttachment): boolean {
  return (
    deletionTimestamp !== undefined &&
    !status?.attached &&
    !finalizers.some((finalizer) => finalizer.startsWith('external-attacher/'))
  )
}
