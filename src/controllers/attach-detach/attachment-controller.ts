import { ApiError, isAlreadyExists, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { KubeObject } from '../../api/object.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { refOf } from '../../api/object-key.ts'
import { after, defineController, DONE, topicOf } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import type { AttachmentMemory } from './attachment-memory.ts'
import type { AttachmentStep, AttachmentView } from './attachment-view.ts'
import { attachFailedText } from './event-texts.ts'
import { grantWishes, refusalText } from './grant-wishes.ts'
import { nextAttachmentStep } from './next-attachment-step.ts'
import { isReportStale } from './next-node-status-step.ts'
import type { WorldReader } from './read-world.ts'
import { REASONS } from './reasons.ts'

export type AttachmentParts = {
  readonly queue: WorkQueue
  readonly nodeQueue: WorkQueue
  readonly watch: readonly Watch[]
  readonly reader: WorldReader
  readonly memory: AttachmentMemory
  /** Whether a pod wants it. */
  isWanted(name: string): boolean
}

type AttachmentPass = Pass<AttachmentView, undefined, object>

/** One volume on one node: attached while a pod there wants it, detached when none does. */
export function defineAttachmentController(
  { api, report, follow }: ControllerRole,
  { queue, nodeQueue, watch, reader, memory, isWanted }: AttachmentParts,
) {
  const attachments = follow(VOLUME_ATTACHMENTS)

  const create = async ({ attachment }: Extract<AttachmentStep, { kind: 'create' }>, pass: AttachmentPass) => {
    const { key, view, log } = pass
    const { volumeName = '', nodeName } = view.seen
    // Before the request: whoever decides about the volume on another node meanwhile has to know of it.
    memory.creating(key, volumeName, nodeName)
    try {
      await api.create(VOLUME_ATTACHMENTS, attachment)
      log.info('attachment created', { volume: volumeName, node: nodeName })
    } catch (error) {
      if (!isAlreadyExists(error)) {
        if (isUnanswered(error)) memory.created(key, 'in-doubt')
        else failToCreate(error, pass)
        throw error
      }
    }
    if (attachments.get(key)) memory.forgetCreate(key)
    else memory.created(key, 'sent')
    return DONE
  }
  const failToCreate = (error: unknown, pass: AttachmentPass): void => {
    forgetCreate(pass.key)
    if (isConflict(error)) return
    const why = error instanceof Error ? error.message : String(error)
    for (const { pod, volume } of grantWishes(pass.view.seen).granted)
      warn(pass, pod, attachFailedText(volume.name, why))
  }
  /** Others may wait for what was never created. */
  const forgetCreate = (name: string): void => {
    memory.forgetCreate(name)
    report(topicOf(VOLUME_ATTACHMENTS.kind, name))
  }

  const look = async (_step: unknown, { key }: AttachmentPass) => {
    try {
      await api.get(VOLUME_ATTACHMENTS, { name: key })
      memory.created(key, 'sent')
    } catch (error) {
      if (!isNotFound(error)) throw error
      forgetCreate(key)
    }
    return after(0)
  }

  const remove = async (
    { attachment, forced }: Extract<AttachmentStep, { kind: 'delete' }>,
    { key, view, log }: AttachmentPass,
  ) => {
    const { uid = '' } = attachment.metadata
    const { nodeName, volumeName } = view.seen
    if (forced)
      log.warn('volume is detached from a node that may still use it', {
        volume: volumeName,
        node: nodeName,
        why: forced,
      })
    memory.deleting(key, uid)
    try {
      await api.delete(VOLUME_ATTACHMENTS, refOf(attachment), { preconditions: { uid } })
      log.info('attachment deleted', { volume: volumeName, node: nodeName })
    } catch (error) {
      if (!isNotFound(error)) {
        if (!isUnanswered(error)) memory.forgetDeletion(key)
        throw error
      }
    }
    memory.deleted(key)
    return DONE
  }

  return defineController<AttachmentView, AttachmentStep>({
    name: 'attach-detach',
    queue,
    watch,
    lane: (name) => (isWanted(name) ? 'attach' : 'detach'),
    view: reader.view,
    onView: (pass) => {
      if (isReportStale(pass.view)) nodeQueue.add(pass.view.seen.nodeName)
      for (const refusal of grantWishes(pass.view.seen).refused) warn(pass, refusal.pod, refusalText(refusal))
    },
    decide: nextAttachmentStep,
    perform: {
      wait: ({ reason, warning }, pass) => {
        const { attachment, wishes } = pass.view.seen
        if (reason === REASONS.attached) pass.unsay()
        if (warning?.about === 'pods')
          for (const { pod } of grantWishes({ wishes, ...(attachment ? { attachment } : {}) }).granted)
            warn(pass, pod, warning.textFor(pod), warning.round)
        if (warning?.about === 'attachment' && attachment) warn(pass, attachment, warning.text, warning.round)
      },
      create,
      look,
      delete: remove,
    },
  })
}

/** The same text once to each, and again in each further round of waiting. */
function warn({ say }: AttachmentPass, about: VolumeAttachment | KubeObject, text: string, round = 0): void {
  say(
    about,
    { type: 'Warning', event: about.kind === VOLUME_ATTACHMENTS.kind ? 'FailedDetachVolume' : 'FailedAttachVolume' },
    text,
    `round ${round}`,
  )
}

/** It may have happened all the same. What the server refuses because there is too much to do has not. */
export const isUnanswered = (error: unknown): boolean =>
  !(error instanceof ApiError) || (isRetriable(error) && error.code !== 429)
