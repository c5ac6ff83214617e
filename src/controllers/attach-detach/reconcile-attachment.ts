import { ApiError, isAlreadyExists, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { refOf } from '../../api/object-key.ts'
import { unreachable } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import type { AttachmentMemory } from './attachment-memory.ts'
import type { AttachmentStep, AttachmentView } from './attachment-view.ts'
import type { Announcer } from './announcer.ts'
import { attachFailedText } from './event-texts.ts'
import { grantWishes, refusalText } from './grant-wishes.ts'
import { nextAttachmentStep } from './next-attachment-step.ts'
import { isReportStale } from './next-node-status-step.ts'

export type AttachmentParts = {
  readonly api: Api
  readonly clock: Clock
  readonly memory: AttachmentMemory
  readonly announcer: Announcer
  readonly attachments: OwnWrites<VolumeAttachment>
  /** Undefined: nobody wants it and there is nothing. */
  readView(name: string): AttachmentView | undefined
  enqueueNode(nodeName: string): void
  /** Has the key looked at when this other attachment changes. */
  waitForAttachment(name: string, other: string): void
  /** Has the key looked at when the node's list was written. */
  waitForStatus(name: string, nodeName: string): void
  /** Has those looked at that wait for this one. */
  wakeWaiters(name: string): void
}

type Pass = { name: string; view: AttachmentView; signal: AbortSignal; log: Logger }

/** One pass over one volume on one node, with one write at most. */
export function createAttachmentReconciler(parts: AttachmentParts): Reconciler {
  const { api, clock, memory, announcer, attachments } = parts

  const reconcile: Reconciler = async (name, { log, signal }) => {
    const view = parts.readView(name)
    if (!view) {
      announcer.forget(name)
      return DONE
    }
    if (isReportStale(view)) parts.enqueueNode(view.seen.nodeName)
    for (const refusal of grantWishes(view.seen).refused) announcer.warn(name, refusal.pod, { reason: 'FailedAttachVolume', text: refusalText(refusal), round: 0 })
    const step = nextAttachmentStep(view)
    log.debug('attachment step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
    const pass = { name, view, signal, log }
    switch (step.kind) {
      case 'wait':
        wait(step, pass)
        return step.retryInMs === undefined ? DONE : after(step.retryInMs)
      case 'create':
        await create(step.attachment, pass)
        return DONE
      case 'look':
        await look(pass)
        return after(0)
      case 'delete':
        await remove(step, pass)
        return DONE
      default:
        return unreachable(step)
    }
  }

  const wait = ({ reason, warning }: Extract<AttachmentStep, { kind: 'wait' }>, { name, view }: Pass): void => {
    const { attachment, nodeName, elsewhere } = view.seen
    if (reason.code === 'AttachedElsewhere') for (const other of elsewhere) parts.waitForAttachment(name, other.name)
    if (reason.code === 'NodeStatusBeingWritten' || reason.code === 'StillReportedAttached') parts.waitForStatus(name, nodeName)
    if (reason.code === 'Attached') announcer.forget(name)
    if (!warning) return
    const { round } = warning
    if (warning.about === 'pods') for (const { pod } of grantWishes(view.seen).granted) announcer.warn(name, pod, { reason: 'FailedAttachVolume', text: warning.textFor(pod), round })
    else if (attachment) announcer.warn(name, attachment, { reason: 'FailedDetachVolume', text: warning.text, round })
  }

  const create = async (attachment: VolumeAttachment, { name, view, signal, log }: Pass): Promise<void> => {
    const { volumeName = '', nodeName } = view.seen
    // Before the request: whoever decides about the volume on another node meanwhile has to know of it.
    memory.creating(name, volumeName, nodeName)
    try {
      await within(clock, signal, (until) => api.create(VOLUME_ATTACHMENTS, attachment, { signal: until }))
      log.info('attachment made', { volume: volumeName, node: nodeName })
    } catch (error) {
      if (!isAlreadyExists(error)) {
        if (isUnanswered(error)) memory.created(name, 'in-doubt')
        else failToCreate(error, { name, view, signal, log })
        throw error
      }
    }
    if (attachments.get(name)) memory.forgetCreate(name)
    else memory.created(name, 'sent')
  }
  const failToCreate = (error: unknown, { name, view }: Pass): void => {
    memory.forgetCreate(name)
    parts.wakeWaiters(name)
    if (isConflict(error)) return
    const why = error instanceof Error ? error.message : String(error)
    for (const { pod, volume } of grantWishes(view.seen).granted) announcer.warn(name, pod, { reason: 'FailedAttachVolume', text: attachFailedText(volume.name, why), round: 0 })
  }

  const look = async ({ name, signal }: Pass): Promise<void> => {
    try {
      await within(clock, signal, (until) => api.get(VOLUME_ATTACHMENTS, { name }, { signal: until }))
      memory.created(name, 'sent')
    } catch (error) {
      if (!isNotFound(error)) throw error
      memory.forgetCreate(name)
      parts.wakeWaiters(name)
    }
  }

  const remove = async ({ attachment, forced }: Extract<AttachmentStep, { kind: 'delete' }>, { name, view, signal, log }: Pass): Promise<void> => {
    const { uid = '' } = attachment.metadata
    const { nodeName, volumeName } = view.seen
    if (forced) log.warn('volume is taken from a node that may still use it', { volume: volumeName, node: nodeName, why: forced })
    memory.deleting(name, uid)
    try {
      const left = await within(clock, signal, (until) => api.delete(VOLUME_ATTACHMENTS, refOf(attachment), { preconditions: { uid }, signal: until }))
      memory.deleted(name)
      if (left.kind === 'VolumeAttachment' && left.metadata.deletionTimestamp) attachments.remember(left)
      log.info('attachment deleted', { volume: volumeName, node: nodeName })
    } catch (error) {
      if (isNotFound(error)) return memory.deleted(name)
      if (!isUnanswered(error)) memory.forgetDeletion(name)
      throw error
    }
  }
  return reconcile
}

/** It may have happened all the same. What the server refuses because there is too much to do has not. */
export const isUnanswered = (error: unknown): boolean => !(error instanceof ApiError) || (isRetriable(error) && error.code !== 429)
