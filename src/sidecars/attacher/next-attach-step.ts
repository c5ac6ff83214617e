import { hasFinalizer } from '../../api/finalizers.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import { operationOf } from './attach-view.ts'
import type { AttachHeld, AttachStep, AttachView, Operation } from './attach-view.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import { createPublishRequest } from './publish-request.ts'
import type { PublishRequest, PublishRules } from './publish-request.ts'
import { REASONS } from './reasons.ts'
import { resolveSource } from './resolve-source.ts'
import { callEnded, savedTarget, targetKey } from './target.ts'
import type { SecretRef, Target } from './target.ts'

// Whoever explains from outside finds the node as we do.
export { findNodeId } from './find-node-id.ts'

/** What to do next about one attachment of this driver. */
export function nextAttachStep(view: AttachView): AttachStep {
  return operationOf(view.seen.attachment) === 'attach' ? nextPublishStep(view) : nextUnpublishStep(view)
}

// Asked from outside nothing is known about the driver; what it can do changes the call, not whether there is one.
const PLAIN_RULES: PublishRules = { publishReadonly: false, singleNodeMultiWriter: false, defaultFstype: '' }

function nextPublishStep({ seen: { attachment, volume, registeredNodeId }, held }: AttachView): AttachStep {
  const { attacher, nodeName } = attachment.spec
  const isAttached = attachment.status?.attached ?? false
  if (isAttached && !held?.hasDrifted) return { kind: 'wait', reason: REASONS.attached }

  // All that can be found wrong without a call is found before we claim: from then on only a successful unpublish lets the attachment go.
  const resolved = resolveSource(attachment, volume)
  if ('problem' in resolved) return refuse('attach', resolved.problem)
  const { source } = resolved
  if (source.csi.driver !== attacher)
    return refuse('attach', REASONS.otherDriver({ attacher, driver: source.csi.driver }))
  if (source.volume?.metadata.deletionTimestamp)
    return refuse('attach', REASONS.volumeLeaving(source.volume.metadata.name ?? ''))
  if (registeredNodeId === undefined) return refuse('attach', REASONS.driverNotRegistered(nodeName, attacher))
  const created = createPublishRequest(source, registeredNodeId, held?.rules ?? PLAIN_RULES)
  if ('problem' in created) return refuse('attach', created.problem)

  const { request } = created
  const basis = JSON.stringify(request)
  const target = targetOf(request)
  const former = formerTarget(attachment, target)
  // Another machine under the same name. Lists can be wrong: nothing is taken from a node because of one.
  if (isAttached && former)
    return refuse('attach', REASONS.nodeIdChanged({ attached: former.nodeId, registered: target.nodeId }))
  const obstacle = findObstacle({ operation: 'attach', targets: former ? [former, target] : [target], basis, held })
  if (obstacle) return obstacle
  if (source.volume && held?.isVolumeReleasing)
    return { kind: 'wait', reason: REASONS.volumeReleasing(source.volume.metadata.name ?? '') }

  const finalizer = attacherFinalizer(attacher)
  if (former) return { kind: 'move', from: former, to: target, basis }
  if (source.volume && !hasFinalizer(source.volume, finalizer))
    return { kind: 'hold-volume', volume: source.volume, basis }
  if (!hasFinalizer(attachment, finalizer) || savedTarget(attachment).nodeId !== target.nodeId)
    return { kind: 'claim', target, basis }
  return { kind: 'publish', request, basis }
}

function nextUnpublishStep({ seen: { attachment, volume, registeredNodeId }, held }: AttachView): AttachStep {
  const { attacher, nodeName, source: named } = attachment.spec
  // The finalizer, not status.attached, tells whether the driver may hold the volume: a publish that timed out leaves
  // attached=false and still has to be undone.
  if (!hasFinalizer(attachment, attacherFinalizer(attacher)) && !held?.hasDrifted)
    return { kind: 'wait', reason: REASONS.released }

  // What was saved is what the call was made with; the volume may be gone and the node another machine by now.
  const saved = savedTarget(attachment)
  const resolved = resolveSource(attachment, volume)
  const source = 'source' in resolved ? resolved.source : undefined
  const volumeHandle = saved.volumeHandle ?? source?.csi.volumeHandle
  if (volumeHandle === undefined)
    return refuse(
      'detach',
      'problem' in resolved && !named.persistentVolumeName
        ? resolved.problem
        : REASONS.handleUnknown(named.persistentVolumeName ?? ''),
    )
  const nodeId = saved.nodeId ?? registeredNodeId
  if (nodeId === undefined) return refuse('detach', REASONS.nodeIdUnknown(nodeName, attacher))
  const secretRef = source ? source.secretRef : saved.secretRef
  const target: Target = { volumeHandle, nodeId, ...(secretRef ? { secretRef } : {}) }
  const basis = JSON.stringify(target)
  return findObstacle({ operation: 'detach', targets: [target], basis, held }) ?? { kind: 'unpublish', target, basis }
}

/** Where the volume may be when that is not where it is meant to be now. */
function formerTarget(attachment: VolumeAttachment, target: Target): Target | undefined {
  if (!hasFinalizer(attachment, attacherFinalizer(attachment.spec.attacher))) return undefined
  const { nodeId, volumeHandle = target.volumeHandle, secretRef = target.secretRef } = savedTarget(attachment)
  if (nodeId === undefined || (nodeId === target.nodeId && volumeHandle === target.volumeHandle)) return undefined
  return { nodeId, volumeHandle, ...(secretRef ? { secretRef } : {}) }
}

type Attempt = { operation: Operation; targets: readonly Target[]; basis: string; held: AttachHeld | undefined }

/** What stands in the way of any call: patience, another call, a secret. */
function findObstacle({ operation, targets, basis, held }: Attempt): AttachStep | undefined {
  const { failure, hasDrifted = false, nowMs = 0, busyTargets, secret, binaryKey } = held ?? {}
  if (
    failure &&
    failure.operation === operation &&
    failure.basis === basis &&
    failure.retryAtMs > nowMs &&
    !hasDrifted
  ) {
    const retryInMs = failure.retryAtMs - nowMs
    return { kind: 'wait', reason: REASONS.backingOff({ seconds: String(Math.ceil(retryInMs / 1000)) }), retryInMs }
  }
  const busy = targets.find((target) => busyTargets?.has(targetKey(target)))
  if (busy)
    return {
      kind: 'wait',
      reason: REASONS.callInFlight({ volume: busy.volumeHandle, node: busy.nodeId }),
      wakeOn: [callEnded(targetKey(busy))],
    }
  const ref = targets.at(-1)?.secretRef
  if (ref && secret === undefined) return { kind: 'read-secret', ref }
  if (ref && secret !== 'read') return refuseSecret({ operation, ref, basis, why: secret, binaryKey })
  return undefined
}

// Secrets may only be got, not watched: only another look shows that one has come.
function refuseSecret({
  operation,
  ref,
  basis,
  why,
  binaryKey,
}: {
  operation: Operation
  ref: SecretRef
  basis: string
  why: AttachHeld['secret']
  binaryKey: string | undefined
}): AttachStep {
  const reason =
    why === 'forbidden'
      ? REASONS.secretForbidden(ref)
      : binaryKey === undefined
        ? REASONS.secretMissing(ref)
        : REASONS.secretNotText(ref, binaryKey)
  return { kind: 'refuse', operation, reason, basis, retry: true }
}

const refuse = (operation: Operation, reason: Reason): AttachStep => ({
  kind: 'refuse',
  operation,
  reason,
  basis: '',
  retry: false,
})

const targetOf = ({ volumeHandle, nodeId, secretRef }: PublishRequest): Target => ({
  volumeHandle,
  nodeId,
  ...(secretRef ? { secretRef } : {}),
})
