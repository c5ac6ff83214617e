import { ApiError, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
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
import type { ControllerRole, Pass, Watch, WorkQueue, WorkResult } from '../../kube/controller/index.ts'
import { readSecret } from '../../storage/read-secret.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { operationOf, readAttachView } from './attach-view.ts'
import type { AttachSources, AttachView, Failure, Operation } from './attach-view.ts'
import { createVolumeError, cutMessage } from './attachment-writer.ts'
import type { AttachmentWriter } from './attachment-writer.ts'
import { nextAttachStep, nextTrivialStep } from './next-attach-step.ts'
import type { AttachStep } from './next-attach-step.ts'
import type { PublishRequest, PublishRules } from './publish-request.ts'
import { REASONS } from './reasons.ts'
import { callTo } from '../attach-target.ts'
import type { Target } from '../attach-target.ts'
import { claimUidOf } from '../../storage/life-of.ts'

/** Shared by both controllers of attachments: for drivers that attach, and for those that do not. */
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
  /** When the last call of an attachment ended; `Infinity` while one is running. */
  readonly callEndedMs: Map<string, number>
  /** Attachments that the driver's list contradicts; removed by the next call. */
  readonly drifted: Set<string>
}

// The limit of the API server.
const MOST_METADATA_BYTES = 256 * 1024

/** The last failure. Attaching and detaching count separately, and a new attachment of the same name starts again. */
type Memory = Failure & { readonly uid: string; readonly count: number }
type AttachPass = Pass<AttachView, Memory, { readonly secret: SecretRead }>

/** Attaches and detaches through the driver. */
export function defineAttachController(role: ControllerRole, parts: AttachParts) {
  const { api, clock } = role
  const { finalizer, rules, drifted, callEndedMs, sources, write, queue, watch, lane } = parts
  const { publish, unpublish } = createDriverCalls(role, parts)
  const { countFailure, report, onError } = createFailureReporter(role, parts)

  return defineController<AttachView, AttachStep, Memory, { readonly secret: SecretRead }>({
    name: 'attacher',
    queue,
    watch,
    lane,
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
    lifeOf: lifeOfAttachment,
    perform: {
      refuse: async ({ operation, reason, basis, retry }, pass) => {
        await report(pass, operation, formatReason(reason))
        return retry ? after(countFailure(pass, operation, basis)) : DONE
      },
      'read-secret': async ({ ref }, pass) => {
        pass.reads = { secret: await readSecret(api, ref) }
      },
      'hold-volume': ({ volume }) => holdVolume(api, volume, finalizer),
      claim: ({ target }, { view }) => write.claim(view.seen.attachment, target),
      move: async ({ from, to }, pass) => {
        await unpublish(from, pass)
        await write.claim(pass.view.seen.attachment, to)
      },
      publish: async ({ request }, pass) => {
        const startedMs = clock.monotonicMs()
        const publishContext = await publish(request, pass)
        await write.attached(newestOf(pass, sources), publishContext)
        pass.memory = undefined
        const where = { volume: request.volumeHandle, node: pass.view.seen.attachment.spec.nodeName }
        pass.log.info('volume attached', { ...where, tookMs: clock.monotonicMs() - startedMs })
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
    onError,
  })
}

const lifeOfAttachment = ({ seen: { attachment, volume } }: AttachView): readonly (string | undefined)[] => [
  claimUidOf(volume, attachment.spec.source.persistentVolumeName),
]

/** The calls to the driver, of which there is never more than one for a volume and node. */
function createDriverCalls({ clock }: ControllerRole, { driver, timeoutMs, callEndedMs, drifted }: AttachParts) {
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
  return {
    publish: async (request: PublishRequest, pass: AttachPass): Promise<Readonly<Record<string, string>>> => {
      const { volumeHandle, nodeId, volumeCapability, readonly, volumeContext } = request
      const { signal } = pass
      const { publishContext } = await call(pass, request, () =>
        driver.controllerPublishVolume(
          { volumeId: volumeHandle, nodeId, volumeCapability, readonly, volumeContext, secrets: secretsOf(pass) },
          { timeoutMs, signal },
        ),
      )
      requireSmall(publishContext)
      return publishContext
    },
    unpublish: (target: Target, pass: AttachPass): Promise<unknown> => {
      const { volumeHandle, nodeId } = target
      const { signal } = pass
      return call(pass, target, () =>
        driver.controllerUnpublishVolume(
          { volumeId: volumeHandle, nodeId, secrets: secretsOf(pass) },
          { timeoutMs, signal },
        ),
      )
    },
  }
}

/** Counts failures, and reports them in status and event. */
function createFailureReporter({ clock, random, events }: ControllerRole, { backoff, sources, write }: AttachParts) {
  /** Counts one more failure and returns the delay before the next attempt. */
  const countFailure = (pass: AttachPass, operation: Operation, basis: string): number => {
    const { uid = '' } = pass.view.seen.attachment.metadata
    const { memory } = pass
    const count = memory?.uid === uid && memory.operation === operation ? memory.count + 1 : 1
    const delayMs = backoffDelayMs(backoff, count, random)
    pass.memory = { uid, operation, basis, count, retryAtMs: clock.monotonicMs() + delayMs }
    return delayMs
  }
  /** Status and event. A failure to write them must not prevent the next attempt. */
  const report = async (pass: AttachPass, operation: Operation, text: string, cause?: unknown): Promise<void> => {
    const attachment = newestOf(pass, sources)
    const { attachError, detachError } = attachment.status ?? {}
    const present = operation === 'attach' ? attachError : detachError
    // An obstacle is reported once; each failed attempt is reported with its time.
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
      // Nothing else brings the key back if it is only waiting.
      if (cause === undefined && !isNotFound(error)) throw error
      pass.log.warn('the error was not written to the status', { error })
    }
  }
  // A failed attempt is reported to the user and retried later. A stale view or an overloaded server is handled by the framework.
  const onError = async (error: unknown, pass: AttachPass): Promise<WorkResult | undefined> => {
    const { seen, held } = pass.view
    // The step that failed, whatever other passes hold by now.
    const step = nextAttachStep(held ? { seen, held: { ...held, busy: new Set() } } : { seen })
    if (!('basis' in step) || step.kind === 'refuse') return undefined
    if (isNotFound(error)) return DONE
    if (!isFailure(error)) return undefined
    const operation = operationOf(seen.attachment)
    const delayMs = countFailure(pass, operation, step.basis)
    await report(pass, operation, error.message, error)
    return after(delayMs)
  }
  return { countFailure, report, onError }
}

/** The attachment with our latest writes, unless it was replaced by another one of the same name. */
function newestOf({ key, view }: AttachPass, sources: AttachSources): VolumeAttachment {
  const { attachment } = view.seen
  const now = sources.attachment(key)
  return now && now.metadata.uid === attachment.metadata.uid ? now : attachment
}

function holdVolume(api: Api, volume: PersistentVolume, finalizer: string): Promise<void> {
  const patch = addFinalizerPatch(volume, finalizer, { form: 'json' })
  const { finalizers } = volume.metadata
  // The entry may already be in another list: a second one would have to be removed separately.
  const sameList = finalizers?.length ? [{ op: 'test', path: '/metadata/finalizers', value: finalizers } as const] : []
  return patchAsSeen(
    api,
    PERSISTENT_VOLUMES,
    volume,
    patch?.type === 'json' ? { type: 'json', operations: [...sameList, ...patch.operations] } : patch,
  )
}

const secretsOf = ({ reads: { secret } }: AttachPass): Record<string, string> =>
  secret?.kind === 'read' ? secret.values : {}

function requireSmall(publishContext: Readonly<Record<string, string>>): void {
  const bytes = Object.entries(publishContext).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  )
  if (bytes > MOST_METADATA_BYTES)
    throw new CsiError(undefined, formatReason(REASONS.PublishContextTooLarge(bytes)), {
      rpc: 'ControllerPublishVolume',
    })
}

/** The driver's errors, and rejections by the server that a retry alone does not resolve. */
const isFailure = (error: unknown): error is Error =>
  error instanceof CsiError || (error instanceof ApiError && !isConflict(error) && !isRetriable(error))

/** For drivers that do not attach: attachments are marked as attached, and the driver is not called. */
export const defineTrivialController = ({ sources, write, ...definition }: AttachmentParts) =>
  defineController({
    name: 'attacher',
    ...definition,
    view: (key) => readAttachView(sources, key),
    lifeOf: lifeOfAttachment,
    decide: nextTrivialStep,
    perform: {
      acknowledge: (_step, { view: { seen } }) => write.attached(seen.attachment, {}),
      release: (_step, { view: { seen } }) => write.released(seen.attachment),
    },
  })
