import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { operationOf } from './attach-view.ts'
import type { AttachHeld, AttachView, Operation } from './attach-view.ts'
import { createPublishRequest, resolveSource } from './publish-request.ts'
import type { PublishRequest, PublishRules } from './publish-request.ts'
import { REASONS } from './reasons.ts'
import type { AttacherReason } from './reasons.ts'
import { callTo, createTarget, savedTarget } from '../attach-target.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import type { Target } from '../attach-target.ts'

/** `basis` identifies the attempt: after a failure, only the same attempt has to wait. */
export type AttachStep = Readonly<
  /** Until something changes, or until that time at the latest. */
  | { kind: 'wait'; reason: AttacherReason; retryInMs?: number; wakeOn?: readonly string[] }
  /** The attachment cannot be processed as it is, and the user has to know. `retry`: no watch reports when that changes. */
  | { kind: 'refuse'; operation: Operation; reason: AttacherReason; basis: string; retry: boolean }
  | { kind: 'read-secret'; ref: SecretRef }
  /** Put our finalizer on the volume, so that it still exists when it has to be detached. */
  | { kind: 'hold-volume'; volume: PersistentVolume; basis: string }
  /** Put our finalizer on the attachment, and save the target of the volume. */
  | { kind: 'claim'; target: Target; basis: string }
  /** The volume may be on another node than the intended one: detach it there first, then claim again. */
  | { kind: 'move'; from: Target; to: Target; basis: string }
  | { kind: 'publish'; request: PublishRequest; basis: string }
  /** Then remove our finalizer from the attachment. */
  | { kind: 'unpublish'; target: Target; basis: string }
>

export function nextAttachStep(view: AttachView): AttachStep {
  return operationOf(view.seen.attachment) === 'attach' ? nextPublishStep(view) : nextUnpublishStep(view)
}

// From outside, nothing is known about the driver. Its capabilities change the call, not whether there is one.
const PLAIN_RULES: PublishRules = { publishReadonly: false, singleNodeMultiWriter: false, defaultFstype: '' }

function nextPublishStep({ seen: { attachment, volume, registeredNodeId }, held }: AttachView): AttachStep {
  const { attacher, nodeName } = attachment.spec
  const isAttached = attachment.status?.attached ?? false
  if (isAttached && !held?.hasDrifted) return { kind: 'wait', reason: REASONS.Attached }

  // All problems that can be found without a call are found before we claim: from then on only a successful unpublish releases the attachment.
  const { source, problem } = resolveSource(attachment, volume)
  if (!source) return refuse('attach', problem)
  const { name = '', deletionTimestamp } = source.volume?.metadata ?? {}
  if (source.csi.driver !== attacher) return refuse('attach', REASONS.OtherDriver(attacher, source.csi.driver))
  if (deletionTimestamp) return refuse('attach', REASONS.VolumeLeaving(name))
  if (registeredNodeId === undefined) return refuse('attach', REASONS.DriverNotRegistered(nodeName, attacher))
  const request = createPublishRequest(source, registeredNodeId, held?.rules ?? PLAIN_RULES)
  if (!request) return refuse('attach', REASONS.AccessModesUnclear(source.spec.accessModes ?? []))

  const basis = JSON.stringify(request)
  const target = createTarget(request.volumeHandle, request.nodeId, request.secretRef)
  const former = formerTarget(attachment, target)
  // Another machine with the same name. Lists can be wrong: nothing is detached from a node because of one.
  if (isAttached && former) return refuse('attach', REASONS.NodeIDChanged(former.nodeId, target.nodeId))
  const obstacle = findObstacle({ operation: 'attach', targets: former ? [former, target] : [target], basis, held })
  if (obstacle) return obstacle
  if (source.volume && held?.isVolumeReleasing) return { kind: 'wait', reason: REASONS.VolumeFinalizerLeaving(name) }

  const finalizer = attacherFinalizer(attacher)
  if (former) return { kind: 'move', from: former, to: target, basis }
  if (source.volume && !hasFinalizer(source.volume, finalizer))
    return { kind: 'hold-volume', volume: source.volume, basis }
  if (!hasFinalizer(attachment, finalizer) || savedTarget(attachment).nodeId !== target.nodeId)
    return { kind: 'claim', target, basis }
  return { kind: 'publish', request, basis }
}

function nextUnpublishStep({ seen, held }: AttachView): AttachStep {
  const { attacher, nodeName, source } = seen.attachment.spec
  // The finalizer, not status.attached, tells whether the driver may hold the volume: a publish that timed out leaves
  // attached=false and still has to be undone.
  if (!hasFinalizer(seen.attachment, attacherFinalizer(attacher)) && !held?.hasDrifted)
    return { kind: 'wait', reason: REASONS.Released }

  const { volumeHandle, nodeId, secretRef, problem } = publishedTo(seen)
  if (volumeHandle === undefined)
    return refuse(
      'detach',
      problem && !source.persistentVolumeName
        ? problem
        : REASONS.VolumeHandleUnknown(source.persistentVolumeName ?? ''),
    )
  if (nodeId === undefined) return refuse('detach', REASONS.NodeIDUnknown(nodeName, attacher))
  const target = createTarget(volumeHandle, nodeId, secretRef)
  const basis = JSON.stringify(target)
  return findObstacle({ operation: 'detach', targets: [target], basis, held }) ?? { kind: 'unpublish', target, basis }
}

/** Where the volume was published, as far as known. The saved target is the one of the call; volume and node may have changed since. */
export function publishedTo({ attachment, volume, registeredNodeId }: AttachView['seen']) {
  const saved = savedTarget(attachment)
  const { source, problem } = resolveSource(attachment, volume)
  return {
    volumeHandle: saved.volumeHandle ?? source?.csi.volumeHandle,
    nodeId: saved.nodeId ?? registeredNodeId,
    secretRef: source ? source.secretRef : saved.secretRef,
    problem,
  }
}

/** Where the volume may be, if that is not its current target. */
function formerTarget(attachment: VolumeAttachment, target: Target): Target | undefined {
  if (!hasFinalizer(attachment, attacherFinalizer(attachment.spec.attacher))) return undefined
  const { nodeId, volumeHandle = target.volumeHandle, secretRef = target.secretRef } = savedTarget(attachment)
  if (nodeId === undefined || (nodeId === target.nodeId && volumeHandle === target.volumeHandle)) return undefined
  return createTarget(volumeHandle, nodeId, secretRef)
}

type Attempt = { operation: Operation; targets: readonly Target[]; basis: string; held: AttachHeld | undefined }

/** What prevents any call: backoff, another call, a secret. */
function findObstacle({ operation, targets, basis, held }: Attempt): AttachStep | undefined {
  const { failure, hasDrifted = false, nowMs = 0, busy, secret } = held ?? {}
  const retryInMs = (failure?.retryAtMs ?? 0) - nowMs
  if (failure?.operation === operation && failure.basis === basis && retryInMs > 0 && !hasDrifted)
    return { kind: 'wait', reason: REASONS.BackingOff(Math.ceil(retryInMs / 1000)), retryInMs }
  const called = targets.find((target) => busy?.has(callTo(target)))
  if (called) return { kind: 'wait', reason: REASONS.CallInFlight(called), wakeOn: [callTo(called)] }
  const ref = targets.at(-1)?.secretRef
  if (!ref || secret?.kind === 'read') return undefined
  if (!secret) return { kind: 'read-secret', ref }
  // Secrets may only be read, not watched: only another attempt shows that one was created.
  return { kind: 'refuse', operation, reason: REASONS.Secret(secret, ref), basis, retry: true }
}

const refuse = (operation: Operation, reason: AttacherReason): AttachStep => ({
  kind: 'refuse',
  operation,
  reason,
  basis: '',
  retry: false,
})

export type TrivialStep =
  | { readonly kind: 'wait'; readonly reason: AttacherReason }
  /** Report it as attached: there is nothing to attach. */
  | { readonly kind: 'acknowledge' }
  /** Remove our finalizer, which remains from a time when the driver could attach. */
  | { readonly kind: 'release' }

export function nextTrivialStep({ seen: { attachment } }: AttachView): TrivialStep {
  if (operationOf(attachment) === 'attach')
    return attachment.status?.attached ? { kind: 'wait', reason: REASONS.Acknowledged } : { kind: 'acknowledge' }
  return hasFinalizer(attachment, attacherFinalizer(attachment.spec.attacher))
    ? { kind: 'release' }
    : { kind: 'wait', reason: REASONS.Released }
}
