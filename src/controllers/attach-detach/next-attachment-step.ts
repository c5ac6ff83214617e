import type { PersistentVolumeSpec } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import { parseUniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'
import type { AttachmentStep, AttachmentView, OtherAttachment, PodWish, Warning } from './attachment-view.ts'
import { attachFailedText, multiAttachText } from './event-texts.ts'
import { IN_LINE_NAMESPACE } from '../../storage/names.ts'
import { grantWishes } from './grant-wishes.ts'
import { isReleased, mayDetach } from './may-detach.ts'
import { isManaged, isReported } from './node-facts.ts'
import { REASONS } from './reasons.ts'

// Whoever explains from outside makes the view as we do.
export type { AttachmentView, OtherAttachment, PodWish } from './attachment-view.ts'
export { identifyAttachment } from './identify-attachment.ts'

/** What to do next about one volume on one node. */
export function nextAttachmentStep(view: AttachmentView): AttachmentStep {
  const [first] = grantWishes(view.seen).granted
  // A deletion may take effect whenever it likes once it was sent, so nothing is built on the object any more.
  return first && view.held?.deletion === undefined ? nextAttachStep(view, first) : nextDetachStep(view)
}

function nextAttachStep(view: AttachmentView, wish: PodWish): AttachmentStep {
  const { name, nodeName, node, attachment, elsewhere, otherPods } = view.seen
  const { volume } = wish
  if (!node) return wait(REASONS.nodeMissing(nodeName))
  if (!isManaged(node)) return wait(REASONS.nodeNotManaged(nodeName))
  if (attachment) return awaitAttacher(view, wish, attachment)

  // Asked for again it is either made now, or there already.
  const unseen = view.held?.create?.kind === 'in-doubt' ? undefined : awaitCreated(view)
  if (unseen) return unseen
  if (volume.volume?.metadata.deletionTimestamp) {
    const reason = REASONS.volumeLeaving(volume.name)
    return wait(reason, { warning: tellPods(attachFailedText(volume.name, reason.cure ?? '')) })
  }
  const holder = isExclusive(volume.spec)
    ? elsewhere.find(({ attachment: other }) => !other || !isReleased(other))
    : undefined
  if (holder) {
    const reason = REASONS.attachedElsewhere(holder.name, { node: holder.nodeName })
    const stuck = stuckText(volume, holder)
    return wait(reason, {
      warning: stuck
        ? tellPods(stuck)
        : { about: 'pods', round: 0, textFor: (pod) => multiAttachText(volume.name, pod, otherPods) },
    })
  }
  return { kind: 'create', attachment: attachmentFor(name, wish) }
}

/** It is there. Trying again is the attacher's affair: it is only waited for, and never changed. */
function awaitAttacher(
  { seen: { name }, held }: AttachmentView,
  { volume }: PodWish,
  { metadata, status }: VolumeAttachment,
): AttachmentStep {
  const { driver, handle } = volume
  const tell = (why: string, round = 0): Warning => tellPods(attachFailedText(volume.name, why), round)
  // What it says of being attached is not trusted any more; only when it is gone there can be a new one.
  if (metadata.deletionTimestamp)
    return wait(REASONS.leaving(name), { warning: tell('volume attachment is being deleted') })
  if (status?.attached) return wait(REASONS.attached)
  const { rounds, retryInMs } = roundsOf(held)
  const { message } = status?.attachError ?? {}
  if (message)
    return wait(REASONS.attachFailed(driver, { attachment: name, error: message }), {
      retryInMs,
      warning: tell(message, rounds),
    })
  const silence = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`
  return wait(REASONS.awaitingAttacher(driver, name), {
    retryInMs,
    ...(rounds > 0 ? { warning: tell(silence, rounds) } : {}),
  })
}

function nextDetachStep(view: AttachmentView): AttachmentStep {
  const {
    seen: { nodeName, node, volumeName, attachment },
    held,
  } = view
  if (!attachment) return awaitCreated(view) ?? wait(REASONS.notWanted)
  if (attachment.metadata.deletionTimestamp || held?.deletion === 'answered') return awaitDetached(view, attachment)
  if (held?.deletion === 'sent') return { kind: 'delete', attachment }
  // First the node is no longer told that it is attached, then it is asked whether it uses it: in this order no mount can slip in between.
  const verdict = mayDetach(view)
  if (!verdict.may) return wait(verdict.reason, { retryInMs: verdict.retryInMs })
  if (held?.isStatusUnsure) return wait(REASONS.statusUnsure(nodeName))
  if (volumeName !== undefined && isReported(node, volumeName)) return wait(REASONS.reported(nodeName))
  return { kind: 'delete', attachment, ...(verdict.forced ? { forced: verdict.forced } : {}) }
}

/** Detached it is only when the object is gone. */
function awaitDetached(
  { seen: { volumeName = '' }, held }: AttachmentView,
  { spec, status }: VolumeAttachment,
): AttachmentStep {
  const { rounds, retryInMs } = roundsOf(held)
  const { message } = status?.detachError ?? {}
  // The attacher has told of its error itself.
  if (message) return wait(REASONS.detaching(spec.attacher, { error: message }))
  const handle = parseUniqueVolumeName(volumeName)?.handle ?? spec.source.persistentVolumeName ?? ''
  const text = `timed out waiting for external-attacher of ${spec.attacher} CSI driver to detach volume ${handle}`
  return wait(REASONS.detaching(spec.attacher), {
    retryInMs,
    ...(rounds > 0 ? { warning: { about: 'attachment', round: rounds, text } } : {}),
  })
}

/** What we asked for and have not seen yet. Undefined: nothing. */
function awaitCreated({ seen: { name }, held }: AttachmentView): AttachmentStep | undefined {
  const { create, nowMs = 0 } = held ?? {}
  if (!create) return undefined
  const reason = REASONS.attachmentUnseen(name)
  if (create.kind === 'sending') return wait(reason)
  return create.checkAtMs > nowMs ? wait(reason, { retryInMs: create.checkAtMs - nowMs }) : { kind: 'look' }
}

/** Only with these modes a volume may be on several nodes; without any nothing is known that forbids it. */
function isExclusive({ accessModes = [] }: PersistentVolumeSpec): boolean {
  return accessModes.length > 0 && !accessModes.includes('ReadWriteMany') && !accessModes.includes('ReadOnlyMany')
}

function attachmentFor(name: string, { nodeName, pod, volume }: PodWish): VolumeAttachment {
  const inLine = volume.volume === undefined
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name, ...(inLine ? { annotations: { [IN_LINE_NAMESPACE]: pod.metadata.namespace ?? '' } } : {}) },
    spec: {
      attacher: volume.driver,
      nodeName,
      source: inLine ? { inlineVolumeSpec: volume.spec } : { persistentVolumeName: volume.name },
    },
  }
}

function stuckText({ name }: CsiVolume, { nodeName, attachment }: OtherAttachment): string | undefined {
  const { message } = attachment?.status?.detachError ?? {}
  return message && attachment?.metadata.deletionTimestamp
    ? attachFailedText(name, `the volume does not come off node ${nodeName}: ${message}`)
    : undefined
}

/** How often we have waited in vain, and until when we do now. */
function roundsOf(held: AttachmentView['held']): { rounds: number; retryInMs: number | undefined } {
  if (held?.waitingSinceMs === undefined) return { rounds: 0, retryInMs: undefined }
  const waitedMs = held.nowMs - held.waitingSinceMs
  const rounds = Math.floor(waitedMs / held.timeoutMs)
  return { rounds, retryInMs: (rounds + 1) * held.timeoutMs - waitedMs }
}

const tellPods = (text: string, round = 0): Warning => ({ about: 'pods', round, textFor: () => text })

function wait(
  reason: Reason,
  { retryInMs, warning }: { retryInMs?: number | undefined; warning?: Warning } = {},
): AttachmentStep {
  return { kind: 'wait', reason, ...(retryInMs === undefined ? {} : { retryInMs }), ...(warning ? { warning } : {}) }
}
