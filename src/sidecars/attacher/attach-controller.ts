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
import { after, defineController, DONE, patchAsSeen, topicOf } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { operationOf, readAttachView } from './attach-view.ts'
import type { AttachSources, AttachView, Failure, Operation } from './attach-view.ts'
import { createVolumeError, cutMessage } from './attachment-writer.ts'
import type { AttachmentWriter } from './attachment-writer.ts'
import { nextAttachStep, nextTrivialStep } from './next-attach-step.ts'
import type { AttachStep } from './next-attach-step.ts'
import type { PublishRules } from './publish-request.ts'
import { REASONS } from './reasons.ts'
import { callTo } from './target.ts'
import type { Target } from './target.ts'

/** What both controllers of attachments are given: that of a driver that attaches, and that of one that does not. */
export type AttachmentParts = {
  readonly queue: WorkQueue
  readonly watch: readonly Watch[]
  lane(key: string): Operation
  readonly sources: AttachSources
  readonly write: AttachmentWriter
}

export type AttachParts = AttachmentParts & {
  readonly driver: Driver
  readonly finalizer: string
  readonly timeoutMs: number
  readonly backoff: BackoffOptions
  readonly rules: PublishRules
  /** When the last call of an attachment ended; `Infinity` while one is under way. */
  readonly callEndedMs: Map<string, number>
  /** Attachments that the driver's list contradicts; removed by the next call. */
  readonly drifted: Set<string>
}

// The limit of the server.
const MOST_METADATA_BYTES = 256 * 1024

/** The last failure. Attaching and detaching count separately, and a new attachment of the same name starts again. */
type Memory = Failure & { readonly uid: string; readonly count: number }
type AttachPass = Pass<AttachView, Memory, { readonly secret: SecretRead }>

/** Attaches and detaches through the driver. */
export function defineAttachController({ api, clock, random, events }: ControllerRole, parts: AttachParts) {
  const { driver, finalizer, timeoutMs, rules, callEndedMs, drifted, sources, write, ...definition } = parts

  /** Counts one more failure and returns the delay before the next attempt. */
  const countFailure = (pass: AttachPass, operation: Operation, basis: string): number => {
    const { uid = '' } = pass.view.seen.attachment.metadata
    const { memory } = pass
    const count = memory?.uid === uid && memory.operation === operation ? memory.count + 1 : 1
    const delayMs = backoffDelayMs(parts.backoff, count, random)
    pass.memory = { uid, operation, basis, count, retryAtMs: clock.monotonicMs() + delayMs }
    return delayMs
  }
  const call = async <T>(pass: AttachPass, target: Target, send: () => Promise<T>): Promise<T> => {
    if (!pass.hold(callTo(target))) throw new Error(`another ${callTo(target)} is under way`)
    drifted.delete(pass.key)
    callEndedMs.set(pass.key, Infinity)
    try {
      return await send()
    } finally {
      callEndedMs.set(pass.key, clock.monotonicMs())
    }
  }
  const unpublish = (target: Target, pass: AttachPass): Promise<unknown> => {
    const { volumeHandle, nodeId } = target
    const { signal } = pass
    return call(pass, target, () =>
      driver.controllerUnpublishVolume(
        { volumeId: volumeHandle, nodeId, secrets: secretsOf(pass) },
        { timeoutMs, signal },
      ),
    )
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

  /** Status and event. A failure to write them must not prevent the next attempt. */
  const tell = async (pass: AttachPass, operation: Operation, text: string, cause?: unknown): Promise<void> => {
    const attachment = newest(pass)
    const { attachError, detachError } = attachment.status ?? {}
    const present = operation === 'attach' ? attachError : detachError
    // An obstacle is reported once; each failed attempt is reported with its time.
    if (cause === undefined && present?.message === cutMessage(text)) return
    events.record(attachment, 'Warning', operation === 'attach' ? 'FailedAttachVolume' : 'FailedDetachVolume', text)
    pass.log.warn(`volume not ${operation}ed`, { node: attachment.spec.nodeName, why: text })
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
    const now = sources.attachment(key)
    return now && now.metadata.uid === attachment.metadata.uid ? now : attachment
  }

  return defineController<AttachView, AttachStep, Memory, { readonly secret: SecretRead }>({
    name: 'attacher',
    ...definition,
    // Secret, volume, claim, call: with room for a move and for concurrent changes.
    stepLimit: 10,
    view: (key, { memory, reads: { secret }, isHeldByOther }) => {
      const view = readAttachView(sources, key)
      if (!view) return undefined
      const { uid, name = '' } = view.seen.attachment.metadata
      const volumeName = view.seen.attachment.spec.source.persistentVolumeName ?? ''
      return {
        ...view,
        held: {
          nowMs: clock.monotonicMs(),
          rules,
          busy: { has: isHeldByOther },
          isVolumeReleasing: isHeldByOther(topicOf(PERSISTENT_VOLUMES.kind, volumeName)),
          hasDrifted: drifted.has(name),
          secret,
          failure: memory?.uid === uid ? memory : undefined,
        },
      }
    },
    forget: (key) => {
      drifted.delete(key)
      callEndedMs.delete(key)
    },
    decide: nextAttachStep,
    perform: {
      refuse: async ({ operation, reason, basis, retry }, pass) => {
        await tell(pass, operation, formatReason(reason))
        return retry ? after(countFailure(pass, operation, basis)) : DONE
      },
      'read-secret': async ({ ref }, pass) => {
        pass.reads = { secret: await readSecret(api, ref) }
      },
      'hold-volume': ({ volume }) => holdVolume(volume),
      claim: ({ target }, { view }) => write.claim(view.seen.attachment, target),
      move: async ({ from, to }, pass) => {
        await unpublish(from, pass)
        await write.claim(pass.view.seen.attachment, to)
      },
      publish: async ({ request }, pass) => {
        const { volumeHandle, nodeId, volumeCapability, readonly, volumeContext } = request
        const { signal } = pass
        const startedMs = clock.monotonicMs()
        const { publishContext } = await call(pass, request, () =>
          driver.controllerPublishVolume(
            { volumeId: volumeHandle, nodeId, volumeCapability, readonly, volumeContext, secrets: secretsOf(pass) },
            { timeoutMs, signal },
          ),
        )
        requireSmall(publishContext)
        await write.attached(newest(pass), publishContext)
        pass.memory = undefined
        const node = pass.view.seen.attachment.spec.nodeName
        pass.log.info('volume attached', { volume: volumeHandle, node, tookMs: clock.monotonicMs() - startedMs })
        return DONE
      },
      unpublish: async ({ target }, pass) => {
        const { attachment } = pass.view.seen
        await unpublish(target, pass)
        await write.released(attachment)
        pass.log.info('volume detached', { volume: target.volumeHandle, node: attachment.spec.nodeName })
        return DONE
      },
    },
    // An attempt that failed is reported to the user and repeated later. An old view or an overloaded server is the framework's business.
    onError: async (error, pass) => {
      const step = nextAttachStep(pass.view)
      if (!('basis' in step) || step.kind === 'refuse') return undefined
      if (isNotFound(error)) return DONE
      if (!isFailure(error)) return undefined
      const operation = operationOf(pass.view.seen.attachment)
      const delayMs = countFailure(pass, operation, step.basis)
      await tell(pass, operation, error.message, error)
      return after(delayMs)
    },
  })
}

const secretsOf = ({ reads: { secret } }: AttachPass): Record<string, string> =>
  secret?.kind === 'read' ? secret.values : {}

function requireSmall(publishContext: Readonly<Record<string, string>>): void {
  const bytes = Object.entries(publishContext).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  )
  if (bytes > MOST_METADATA_BYTES)
    throw new CsiError(undefined, formatReason(REASONS.publishContextTooLarge(bytes)), {
      rpc: 'ControllerPublishVolume',
    })
}

/** The driver's answers, and refusals of the server that a retry alone does not change. */
const isFailure = (error: unknown): error is Error =>
  error instanceof CsiError || (error instanceof ApiError && !isConflict(error) && !isRetriable(error))

/** For drivers that do not attach: attachments are marked as attached, and the driver is not called. */
export const defineTrivialController = ({ sources, write, ...definition }: AttachmentParts) =>
  defineController({
    name: 'attacher',
    ...definition,
    view: (key) => readAttachView(sources, key),
    decide: nextTrivialStep,
    perform: {
      acknowledge: (_step, { view: { seen } }) => write.attached(seen.attachment, {}),
      release: (_step, { view: { seen } }) => write.released(seen.attachment),
    },
  })
