import { ApiError, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import { addFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { formatReason } from '../../api/reason.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import { CsiError } from '../../csi/csi-error.ts'
import type { Driver } from '../../csi/rpc.ts'
import { after, defineController, DONE, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, StepOutcome } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { operationOf } from './attach-view.ts'
import type { AttachHeld, AttachStep, AttachView, Failure, Operation } from './attach-view.ts'
import type { AttachmentParts } from './attachment-parts.ts'
import { nextAttachStep } from './next-attach-step.ts'
import type { PublishRequest, PublishRules } from './publish-request.ts'
import { REASONS } from './reasons.ts'
import type { RunningCalls } from './running-calls.ts'
import type { Target } from './target.ts'
import { createVolumeError, cutMessage } from './volume-error.ts'

export type AttachParts = AttachmentParts & {
  readonly driver: Driver
  readonly finalizer: string
  readonly timeoutMs: number
  readonly backoff: BackoffOptions
  readonly rules: PublishRules
  readonly calls: RunningCalls
  /** Keys whose attachment says something else than the driver's list; used up by the next call. */
  readonly drifted: Set<string>
}

// The limit of the server.
const MOST_METADATA_BYTES = 256 * 1024

/** The last failure. Attaching and detaching count apart, and a new attachment of the same name begins anew. */
type Memory = Failure & { readonly uid: string; readonly count: number }
type Reads = { readonly secret: SecretRead }
type AttachPass = Pass<AttachView, Memory, Reads>

/** Attaches and detaches through the driver. */
export function defineAttachController({ api, clock, random, events }: ControllerRole, parts: AttachParts) {
  const { driver, finalizer, timeoutMs, backoff, rules, calls, drifted, write } = parts

  const heldOf = (
    { attachment }: AttachView['seen'],
    { memory, reads: { secret }, isHeldByOther }: Pick<AttachPass, 'memory' | 'reads' | 'isHeldByOther'>,
  ): AttachHeld => ({
    nowMs: clock.monotonicMs(),
    rules,
    busyTargets: calls.targets,
    isVolumeReleasing: isHeldByOther(attachment.spec.source.persistentVolumeName ?? ''),
    hasDrifted: drifted.has(attachment.metadata.name ?? ''),
    ...(secret ? { secret: secret.kind } : {}),
    ...(secret?.kind === 'not-text' ? { binaryKey: secret.key } : {}),
    ...(memory && memory.uid === attachment.metadata.uid ? { failure: memory } : {}),
  })

  /** Counts one more failure and says how long to wait. */
  const countFailure = (pass: AttachPass, operation: Operation, basis: string): number => {
    const { uid = '' } = pass.view.seen.attachment.metadata
    const { memory } = pass
    const count = memory?.uid === uid && memory.operation === operation ? memory.count + 1 : 1
    const delayMs = backoffDelayMs(backoff, count, random)
    pass.memory = { uid, operation, basis, count, retryAtMs: clock.monotonicMs() + delayMs }
    return delayMs
  }
  /** Does it, or tells the user and waits. What only says that the view was old, or that the server is unwell, is left to the framework. */
  const attempt =
    <Step extends { readonly basis: string }>(act: (step: Step, pass: AttachPass) => Promise<StepOutcome>) =>
    async (step: Step, pass: AttachPass): Promise<StepOutcome> => {
      try {
        return await act(step, pass)
      } catch (error) {
        pass.signal.throwIfAborted()
        if (isNotFound(error)) return DONE
        if (!isFailure(error)) throw error
        const operation = operationOf(pass.view.seen.attachment)
        const delayMs = countFailure(pass, operation, step.basis)
        await tell(pass, operation, error.message, error)
        return after(delayMs)
      }
    }

  const holdVolume = (volume: PersistentVolume): Promise<void> => {
    const patch = addFinalizerPatch(volume, finalizer, { form: 'json' })
    const { finalizers } = volume.metadata
    // With another list the entry may be there already: a second one would have to be removed on its own.
    const sameList = finalizers?.length
      ? [{ op: 'test', path: '/metadata/finalizers', value: finalizers } as const]
      : []
    return patchAsSeen(
      api,
      PERSISTENT_VOLUMES,
      volume,
      patch?.type === 'json' ? { type: 'json', operations: [...sameList, ...patch.operations] } : patch,
    )
  }
  const publish = async (request: PublishRequest, pass: AttachPass): Promise<void> => {
    const { key, view, signal, log } = pass
    const { attachment } = view.seen
    const { volumeHandle, nodeId, volumeCapability, readonly, volumeContext } = request
    drifted.delete(key)
    const startedMs = clock.monotonicMs()
    const { publishContext } = await calls.run(key, request, () =>
      driver.controllerPublishVolume(
        { volumeId: volumeHandle, nodeId, volumeCapability, readonly, volumeContext, secrets: secretsOf(pass) },
        { timeoutMs, signal },
      ),
    )
    const bytes = Object.entries(publishContext).reduce(
      (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
      0,
    )
    if (bytes > MOST_METADATA_BYTES)
      throw new CsiError(undefined, formatReason(REASONS.publishContextTooLarge(bytes)), {
        rpc: 'ControllerPublishVolume',
      })
    await write.attached(newest(pass), publishContext)
    pass.memory = undefined
    log.info('volume attached', {
      volume: volumeHandle,
      node: attachment.spec.nodeName,
      tookMs: clock.monotonicMs() - startedMs,
    })
  }
  const unpublish = async ({ volumeHandle, nodeId, ...rest }: Target, pass: AttachPass): Promise<void> => {
    const { key, signal } = pass
    drifted.delete(key)
    await calls.run(key, { volumeHandle, nodeId, ...rest }, () =>
      driver.controllerUnpublishVolume(
        { volumeId: volumeHandle, nodeId, secrets: secretsOf(pass) },
        { timeoutMs, signal },
      ),
    )
  }

  /** Status and event. That they can't be written must not keep the work from being tried again. */
  const tell = async (pass: AttachPass, operation: Operation, text: string, cause: unknown): Promise<void> => {
    const attachment = newest(pass)
    const { attachError, detachError } = attachment.status ?? {}
    const present = operation === 'attach' ? attachError : detachError
    // What stands in the way is said once; each try that failed is said with its time.
    if (cause === undefined && present?.message === cutMessage(text)) return
    events.record(attachment, 'Warning', operation === 'attach' ? 'FailedAttachVolume' : 'FailedDetachVolume', text)
    pass.log.warn(operation === 'attach' ? 'volume not attached' : 'volume not detached', {
      node: attachment.spec.nodeName,
      why: text,
    })
    try {
      await write.failed(attachment, operation, createVolumeError(text, clock.nowMs(), cause))
    } catch (error) {
      pass.signal.throwIfAborted()
      // Nothing else brings the key back when it only waits.
      if (cause === undefined && !isNotFound(error)) throw error
      pass.log.warn('the error was not written to the status', { error })
    }
  }
  const newest = ({ key, view }: AttachPass): VolumeAttachment => {
    const { attachment } = view.seen
    const now = parts.see(key)?.attachment
    return now && now.metadata.uid === attachment.metadata.uid ? now : attachment
  }

  return defineController<AttachView, AttachStep, Memory, Reads>({
    name: 'attacher',
    queue: parts.queue,
    watch: parts.watch,
    lane: parts.lane,
    // Secret, volume, claim, call: with room for a move and for what changes meanwhile.
    stepLimit: 10,
    view: (key, known) => {
      const seen = parts.see(key)
      return seen && { seen, held: heldOf(seen, known) }
    },
    forget: (key) => void drifted.delete(key),
    decide: nextAttachStep,
    perform: {
      refuse: async ({ operation, reason, basis, retry }, pass) => {
        await tell(pass, operation, formatReason(reason), undefined)
        return retry ? after(countFailure(pass, operation, basis)) : DONE
      },
      'read-secret': async ({ ref }, pass) => {
        pass.reads = { secret: await readSecret(api, ref) }
      },
      'hold-volume': attempt(({ volume }) => holdVolume(volume)),
      claim: attempt(({ target }, { view }) => write.claim(view.seen.attachment, target)),
      move: attempt(async ({ from, to }, pass) => {
        await unpublish(from, pass)
        await write.claim(pass.view.seen.attachment, to)
      }),
      publish: attempt(async ({ request }, pass) => {
        await publish(request, pass)
        return DONE
      }),
      unpublish: attempt(async ({ target }, pass) => {
        const { attachment } = pass.view.seen
        await unpublish(target, pass)
        await write.released(attachment)
        pass.log.info('volume detached', { volume: target.volumeHandle, node: attachment.spec.nodeName })
        return DONE
      }),
    },
  })
}

const secretsOf = ({ reads: { secret } }: AttachPass): Record<string, string> =>
  secret?.kind === 'read' ? secret.values : {}

/** The driver's answers, and refusals of the server that another try alone does not change. */
const isFailure = (error: unknown): error is Error =>
  error instanceof CsiError || (error instanceof ApiError && !isConflict(error) && !isRetriable(error))
