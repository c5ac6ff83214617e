import { ApiError, isConflict, isInvalid, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { addFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { operationOf } from './attach-view.ts'
import type { AttachHeld, AttachStep, AttachView, Operation } from './attach-view.ts'
import type { AttachmentWriter } from './attachment-writer.ts'
import type { Failures } from './failures.ts'
import { nextAttachStep } from './next-attach-step.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import type { PublishRequest, PublishRules } from './publish-request.ts'
import { readSecret } from './read-secret.ts'
import type { SecretRead } from './read-secret.ts'
import { REASONS } from './reasons.ts'
import type { RunningCalls } from './running-calls.ts'
import type { Target } from './target.ts'
import { createVolumeError, cutMessage } from './volume-error.ts'
import { within } from '../../kube/within.ts'

export type AttachmentParts = {
  readonly driver: Driver
  readonly api: Api
  readonly clock: Clock
  readonly events: EventRecorder
  readonly finalizer: string
  readonly timeoutMs: number
  readonly rules: PublishRules
  /** Undefined when the attachment is gone or somebody else's. */
  readSeen(key: string): AttachView['seen'] | undefined
  readonly volumes: OwnWrites<PersistentVolume>
  readonly write: AttachmentWriter
  readonly failures: Failures
  readonly calls: RunningCalls
  /** Keys whose attachment says something else than the driver's list; used up by the next call. */
  readonly drifted: Set<string>
  /** Names of the volumes that are losing our finalizer at this moment. */
  readonly releasing: ReadonlySet<string>
  /** Has the key looked at in the lane of this operation. */
  enqueue(key: string, operation: Operation): void
  /** Has the key looked at once a call has ended. */
  waitForCall(key: string): void
}

// Secret, volume, claim, call: with room for a move and for what changes meanwhile.
const MOST_STEPS = 10
// The limit of the server.
const MOST_METADATA_BYTES = 256 * 1024

type Pass = { key: string; view: AttachView; secrets: Readonly<Record<string, string>>; signal: AbortSignal; log: Logger }

/**
 * One pass over one attachment: as many steps as follow from each other. Our own writes are part of the view at once, so the
 * next step need not wait for the server to tell of them.
 */
export function createAttachmentReconciler(parts: AttachmentParts): Reconciler {
  const { driver, api, clock, events, finalizer, timeoutMs, write, failures, calls, drifted } = parts

  const readView = (key: string, secret: SecretRead | undefined): AttachView | undefined => {
    const seen = parts.readSeen(key)
    if (!seen) return undefined
    const { attachment } = seen
    const failure = failures.find(key, attachment.metadata.uid ?? '')
    const held: AttachHeld = {
      nowMs: clock.monotonicMs(),
      rules: parts.rules,
      busyTargets: calls.targets,
      isVolumeReleasing: parts.releasing.has(attachment.spec.source.persistentVolumeName ?? ''),
      hasDrifted: drifted.has(key),
      ...(secret ? { secret: secret.kind } : {}),
      ...(failure ? { failure } : {}),
    }
    return { seen, held }
  }

  const reconcile: Reconciler = async (key, { log, signal }) => {
    let secret: SecretRead | undefined
    let operation: Operation | undefined
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const view = readView(key, secret)
      if (!view) return DONE
      const { attachment } = view.seen
      operation ??= operationOf(attachment)
      if (operationOf(attachment) !== operation) {
        parts.enqueue(key, operationOf(attachment))
        return DONE
      }
      const step = nextAttachStep(view)
      log.debug('attach step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      if (step.kind === 'read-secret') {
        secret = await within(clock, signal, (until) => readSecret(api, step.ref, until))
        continue
      }
      const secrets = secret?.kind === 'read' ? secret.values : {}
      const result = await perform(step, { key, view, secrets, signal, log })
      if (result) return result
    }
    return after(0)
  }

  /** Undefined: go on with the next step. */
  const perform = async (step: Exclude<AttachStep, { kind: 'read-secret' }>, pass: Pass): Promise<WorkResult | undefined> => {
    const { key, view, signal } = pass
    const { attachment } = view.seen
    switch (step.kind) {
      case 'wait':
        if (step.reason.code === 'CallInFlight') parts.waitForCall(key)
        return step.retryInMs === undefined ? DONE : after(step.retryInMs)
      case 'refuse':
        await tell(pass, step.operation, formatReason(step.reason), undefined)
        return step.retry ? after(failures.add(key, { uid: attachment.metadata.uid ?? '', operation: step.operation, basis: step.basis })) : DONE
      case 'hold-volume':
        return attempt(pass, step.basis, () => holdVolume(step.volume, signal))
      case 'claim':
        return attempt(pass, step.basis, () => write.claim(attachment, step.target, signal))
      case 'move':
        return attempt(pass, step.basis, async () => {
          await unpublish(step.from, pass)
          await write.claim(attachment, step.to, signal)
        })
      case 'publish':
        return (await attempt(pass, step.basis, () => publish(step.request, pass))) ?? DONE
      case 'unpublish':
        return (await attempt(pass, step.basis, async () => {
          await unpublish(step.target, pass)
          await write.released(attachment, signal)
          pass.log.info('volume detached', { volume: step.target.volumeHandle, node: attachment.spec.nodeName })
        })) ?? DONE
      default:
        return unreachable(step)
    }
  }

  /** Does it, or tells the user and waits. What only says that the view was old, or that the server is unwell, is thrown. */
  const attempt = async (pass: Pass, basis: string, act: () => Promise<void>): Promise<WorkResult | undefined> => {
    const { key, view, signal } = pass
    const { metadata } = view.seen.attachment
    try {
      await act()
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (isNotFound(error)) return DONE
      if (!isFailure(error)) throw error
      const operation = operationOf(view.seen.attachment)
      const delayMs = failures.add(key, { uid: metadata.uid ?? '', operation, basis })
      await tell(pass, operation, error.message, error)
      return after(delayMs)
    }
  }

  const holdVolume = async (volume: PersistentVolume, signal: AbortSignal): Promise<void> => {
    const patch = addFinalizerPatch(volume, finalizer, { form: 'json' })
    if (patch?.type !== 'json') return
    const { finalizers } = volume.metadata
    // With another list the entry may be there already: a second one would have to be removed on its own.
    const sameList = finalizers?.length ? [{ op: 'test', path: '/metadata/finalizers', value: finalizers } as const] : []
    const operations = [...sameList, ...patch.operations]
    try {
      parts.volumes.remember(await within(clock, signal, (until) => api.patch(PERSISTENT_VOLUMES, refOf(volume), { type: 'json', operations }, { signal: until })))
    } catch (error) {
      // Gone, or no longer as it was seen: the cache is going to show it.
      if (isNotFound(error) || isInvalid(error)) throw new ApiError('Conflict', `PersistentVolume ${volume.metadata.name} is no longer as it was seen`, { cause: error })
      throw error
    }
  }

  const publish = async (request: PublishRequest, { key, view, secrets, signal, log }: Pass): Promise<void> => {
    const { attachment } = view.seen
    const { volumeHandle, nodeId, volumeCapability, readonly, volumeContext } = request
    drifted.delete(key)
    const startedMs = clock.monotonicMs()
    const { publishContext } = await calls.run(key, request, () =>
      driver.controllerPublishVolume({ volumeId: volumeHandle, nodeId, volumeCapability, readonly, volumeContext, secrets }, { timeoutMs, signal }),
    )
    const bytes = Object.entries(publishContext).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0)
    if (bytes > MOST_METADATA_BYTES) throw new CsiError(undefined, formatReason(REASONS.publishContextTooLarge(bytes)), { rpc: 'ControllerPublishVolume' })
    await write.attached(newest(key, attachment), publishContext, signal)
    failures.forget(key)
    log.info('volume attached', { volume: volumeHandle, node: attachment.spec.nodeName, tookMs: clock.monotonicMs() - startedMs })
  }

  const unpublish = async ({ volumeHandle, nodeId, ...rest }: Target, { key, secrets, signal }: Pass): Promise<void> => {
    drifted.delete(key)
    await calls.run(key, { volumeHandle, nodeId, ...rest }, () => driver.controllerUnpublishVolume({ volumeId: volumeHandle, nodeId, secrets }, { timeoutMs, signal }))
  }

  /** Status and event. That they can't be written must not keep the work from being tried again. */
  const tell = async ({ key, view, signal, log }: Pass, operation: Operation, text: string, cause: unknown): Promise<void> => {
    const attachment = newest(key, view.seen.attachment)
    const { attachError, detachError } = attachment.status ?? {}
    const present = operation === 'attach' ? attachError : detachError
    // What stands in the way is said once; each try that failed is said with its time.
    if (cause === undefined && present?.message === cutMessage(text)) return
    events.record(attachment, 'Warning', operation === 'attach' ? 'FailedAttachVolume' : 'FailedDetachVolume', text)
    log.warn(operation === 'attach' ? 'volume not attached' : 'volume not detached', { node: attachment.spec.nodeName, why: text })
    try {
      await write.failed(attachment, operation, createVolumeError(text, clock.nowMs(), cause), signal)
    } catch (error) {
      signal.throwIfAborted()
      // Nothing else brings the key back when it only waits.
      if (cause === undefined && !isNotFound(error)) throw error
      log.warn('the error was not written to the status', { error })
    }
  }
  const newest = (key: string, attachment: VolumeAttachment): VolumeAttachment => {
    const now = parts.readSeen(key)?.attachment
    return now && now.metadata.uid === attachment.metadata.uid ? now : attachment
  }
  return reconcile
}

/** The driver's answers, and refusals of the server that another try alone does not change. */
const isFailure = (error: unknown): error is Error => error instanceof CsiError || (error instanceof ApiError && !isConflict(error) && !isRetriable(error))
