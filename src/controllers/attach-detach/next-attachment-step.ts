import type { PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { IN_LINE_NAMESPACE } from '../../storage/names.ts'
import { parseUniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { grantWishes, isInLine } from './attachment-view.ts'
import type { AttachmentView, OtherAttachment, PodWish } from './attachment-view.ts'
import { isReleased, mayDetach } from './may-detach.ts'
import type { ForceReason } from './may-detach.ts'
import { isManaged, isReported } from './node-facts.ts'
import { attachFailedText, multiAttachText, REASONS } from './reasons.ts'
import type { AttachDetachReason } from './reasons.ts'

export type AttachmentStep = Readonly<
  /** Until something changes, or until that time at the latest. */
  | { kind: 'wait'; reason: AttachDetachReason; retryInMs?: number; warning?: Warning }
  | { kind: 'create'; attachment: VolumeAttachment }
  /** Ask the server whether the requested attachment exists. */
  | { kind: 'look' }
  /** `forced`: although the node may still be using it. */
  | { kind: 'delete'; attachment: VolumeAttachment; forced?: ForceReason }
>

/** An event. The same text is recorded once for each object, and again for each further round of waiting. */
export type Warning =
  | { readonly about: 'pods'; readonly textFor: (pod: Pod) => string; readonly round: number }
  | { readonly about: 'attachment'; readonly text: string; readonly round: number }

export function nextAttachmentStep(view: AttachmentView): AttachmentStep {
  const [first] = grantWishes(view.seen).granted
  // A requested deletion may take effect at any time, so nothing depends on the object any more.
  return first && view.held?.deletion === undefined ? nextAttachStep(view, first) : nextDetachStep(view)
}

function nextAttachStep(view: AttachmentView, wish: PodWish): AttachmentStep {
  const { name, nodeName, node, attachment, elsewhere, otherPods } = view.seen
  const { volume } = wish
  if (!node) return wait(REASONS.NodeMissing(nodeName))
  if (!isManaged(node)) return wait(REASONS.NodeNotManaged(nodeName))
  if (attachment) return awaitAttacher(view, wish, attachment)

  // If requested again, it is either created now or already exists.
  const unseen = view.held?.create?.kind === 'in-doubt' ? undefined : awaitCreated(view)
  if (unseen) return unseen
  if (volume.persistentVolume?.metadata.deletionTimestamp) {
    const reason = REASONS.VolumeLeaving(volume.volumeName)
    return wait(reason, { warning: tellPods(attachFailedText(volume.volumeName, reason.message ?? '')) })
  }
  const holder = isExclusive(volume.spec)
    ? elsewhere.find(({ attachment: other }) => !other || !isReleased(other))
    : undefined
  if (holder)
    return wait(REASONS.AttachedElsewhere(holder.name, holder.nodeName, volume.volumeName), {
      warning: stuckWarning(volume.volumeName, holder) ?? {
        about: 'pods',
        round: 0,
        textFor: (pod) => multiAttachText(volume.volumeName, pod, otherPods),
      },
    })
  return { kind: 'create', attachment: attachmentFor(name, wish) }
}

/** It exists. Retrying is up to the attacher: the object is never changed. */
function awaitAttacher(
  { seen: { name }, held }: AttachmentView,
  { volume }: PodWish,
  { metadata, status }: VolumeAttachment,
): AttachmentStep {
  const { driver, volumeHandle: handle } = volume
  const tell = (why: string, round = 0): Warning => tellPods(attachFailedText(volume.volumeName, why), round)
  // Its status is no longer trusted. A new one can be created only when this one is gone.
  if (metadata.deletionTimestamp)
    return wait(REASONS.DetachUnderWay(name), { warning: tell(REASONS.DetachUnderWay(name).message ?? '') })
  if (status?.attached) return wait(REASONS.Attached)
  const { rounds, retryInMs } = roundsOf(held)
  const { message } = status?.attachError ?? {}
  if (message)
    return wait(REASONS.AttachFailed(driver, { attachment: name, error: message }), {
      retryInMs,
      warning: tell(message, rounds),
    })
  const timedOut = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`
  return wait(REASONS.AwaitingAttacher(driver, name), {
    retryInMs,
    ...(rounds > 0 ? { warning: tell(timedOut, rounds) } : {}),
  })
}

function nextDetachStep(view: AttachmentView): AttachmentStep {
  const { nodeName, node, uniqueName, attachment } = view.seen
  const { held } = view
  if (!attachment) return awaitCreated(view) ?? wait(REASONS.NotWanted)
  if (attachment.metadata.deletionTimestamp || held?.deletion === 'answered') return awaitDetached(view, attachment)
  if (held?.deletion === 'sent') return { kind: 'delete', attachment }
  // The volume is removed from the node's list before checking whether the node uses it: in this order no mount can happen in between.
  const verdict = mayDetach(view)
  if (!verdict.may) return wait(verdict.reason, { retryInMs: verdict.retryInMs })
  if (held?.isStatusUnsure) return wait(REASONS.NodeStatusBeingWritten(nodeName))
  if (uniqueName !== undefined && isReported(node, uniqueName)) return wait(REASONS.StillReportedAttached(nodeName))
  return { kind: 'delete', attachment, ...(verdict.forced ? { forced: verdict.forced } : {}) }
}

/** The volume is detached only when the object is gone. */
function awaitDetached(
  { seen: { uniqueName = '' }, held }: AttachmentView,
  { spec, status }: VolumeAttachment,
): AttachmentStep {
  const { rounds, retryInMs } = roundsOf(held)
  const { message } = status?.detachError ?? {}
  // The attacher has reported its error itself.
  if (message) return wait(REASONS.Detaching(spec.attacher, { error: message }))
  const handle = parseUniqueVolumeName(uniqueName)?.volumeHandle ?? spec.source.persistentVolumeName ?? ''
  const text = `timed out waiting for external-attacher of ${spec.attacher} CSI driver to detach volume ${handle}`
  return wait(REASONS.Detaching(spec.attacher), {
    retryInMs,
    ...(rounds > 0 ? { warning: { about: 'attachment', round: rounds, text } } : {}),
  })
}

/** Waits for an attachment that was requested and not seen yet. Undefined if there is none. */
function awaitCreated({ seen: { name }, held }: AttachmentView): AttachmentStep | undefined {
  const { create, nowMs = 0 } = held ?? {}
  if (!create) return undefined
  const reason = REASONS.AttachmentUnseen(name)
  if (create.kind === 'sending') return wait(reason)
  return create.checkAtMs > nowMs ? wait(reason, { retryInMs: create.checkAtMs - nowMs }) : { kind: 'look' }
}

/** Only these modes allow several nodes. Without any mode, nothing forbids it. */
function isExclusive({ accessModes = [] }: PersistentVolumeSpec): boolean {
  return accessModes.length > 0 && !accessModes.includes('ReadWriteMany') && !accessModes.includes('ReadOnlyMany')
}

function attachmentFor(name: string, wish: PodWish): VolumeAttachment {
  const { nodeName, pod, volume } = wish
  const inLine = isInLine(wish)
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name, ...(inLine ? { annotations: { [IN_LINE_NAMESPACE]: pod.metadata.namespace ?? '' } } : {}) },
    spec: {
      attacher: volume.driver,
      nodeName,
      source: inLine ? { inlineVolumeSpec: volume.spec } : { persistentVolumeName: volume.volumeName },
    },
  }
}

function stuckWarning(volume: string, { nodeName, attachment }: OtherAttachment): Warning | undefined {
  const { message } = attachment?.status?.detachError ?? {}
  return message && attachment?.metadata.deletionTimestamp
    ? tellPods(attachFailedText(volume, `failed to detach the volume from node ${nodeName}: ${message}`))
    : undefined
}

/** How many timeouts have passed, and when the next one ends. */
function roundsOf(held: AttachmentView['held']): { rounds: number; retryInMs: number | undefined } {
  if (held?.waitingSinceMs === undefined) return { rounds: 0, retryInMs: undefined }
  const waitedMs = held.nowMs - held.waitingSinceMs
  const rounds = Math.floor(waitedMs / held.timeoutMs)
  return { rounds, retryInMs: (rounds + 1) * held.timeoutMs - waitedMs }
}

const tellPods = (text: string, round = 0): Warning => ({ about: 'pods', round, textFor: () => text })

function wait(
  reason: AttachDetachReason,
  { retryInMs, warning }: { retryInMs?: number | undefined; warning?: Warning } = {},
): AttachmentStep {
  return { kind: 'wait', reason, ...(retryInMs === undefined ? {} : { retryInMs }), ...(warning ? { warning } : {}) }
}
