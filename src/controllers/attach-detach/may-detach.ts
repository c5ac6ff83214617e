import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { attachmentNameOf, isAttachmentName } from '../../storage/attachment-name.ts'
import type { AttachmentView } from './attachment-view.ts'
import { isHealthy, isInUse, isManaged, isOutOfService } from './node-facts.ts'
import { REASONS } from './reasons.ts'
import type { AttachDetachReason } from './reasons.ts'

export type ForceReason = 'timeout' | 'out-of-service'

export type DetachVerdict =
  | { readonly may: true; readonly forced?: ForceReason }
  | { readonly may: false; readonly reason: AttachDetachReason; readonly retryInMs?: number }

/** Whether a volume that no pod needs may be detached, as far as its node is concerned. */
export function mayDetach(view: AttachmentView): DetachVerdict {
  const { nodeName, node, uniqueName = '' } = view.seen
  const { nowMs = 0, unwantedSinceMs = nowMs, forceDetachAfterMs } = view.held ?? {}
  if (node && !isManaged(node)) return { may: false, reason: REASONS.NodeNotManaged(nodeName) }
  if (!mayBeUsed(view)) return { may: true }
  if (isOutOfService(node)) return { may: true, forced: 'out-of-service' }
  const reason = REASONS.VolumeInUse(nodeName, { volume: uniqueName, nodeIsHealthy: String(isHealthy(node)) })
  if (isHealthy(node) || forceDetachAfterMs === undefined) return { may: false, reason }
  // Counted from when the last pod stopped needing it, not from when the node became unhealthy.
  const retryInMs = unwantedSinceMs + forceDetachAfterMs - nowMs
  return retryInMs > 0 ? { may: false, reason, retryInMs } : { may: true, forced: 'timeout' }
}

/** Unknown counts as in use. */
function mayBeUsed({ seen: { name, nodeName, node, uniqueName }, held }: AttachmentView): boolean {
  if (node && uniqueName !== undefined) return isInUse(node, uniqueName)
  // No volume that the node reports has this attachment's name.
  if (node) return !isAttachmentName(name)
  const { lastInUse } = held ?? {}
  if (!lastInUse) return true
  return uniqueName === undefined
    ? !isAttachmentName(name) || lastInUse.some((each) => attachmentNameOf(each, nodeName) === name)
    : lastInUse.includes(uniqueName)
}

/** The attacher has detached the volume; the object exists only because of other finalizers. */
export function isReleased({ metadata: { deletionTimestamp, finalizers = [] }, status }: VolumeAttachment): boolean {
  return (
    deletionTimestamp !== undefined &&
    !status?.attached &&
    !finalizers.some((finalizer) => finalizer.startsWith('external-attacher/'))
  )
}
