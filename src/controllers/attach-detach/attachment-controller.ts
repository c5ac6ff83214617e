import { ApiError, ignoreNotFound, isAlreadyExists, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { KubeObject } from '../../api/object.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { refOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { after, defineController, DONE, topicOf } from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import type { AttachmentView } from './attachment-view.ts'
import { grantWishes } from './grant-wishes.ts'
import { nextAttachmentStep } from './next-attachment-step.ts'
import type { AttachmentStep } from './next-attachment-step.ts'
import { isReportStale } from './next-node-status-step.ts'
import type { World } from './read-world.ts'
import { attachFailedText, REASONS } from './reasons.ts'

type AttachmentPass = Pass<AttachmentView, undefined, object>
type Step<Kind extends AttachmentStep['kind']> = Extract<AttachmentStep, { kind: Kind }>

/** One volume on one node: attached while a pod there needs it, detached when none does. */
export function defineAttachmentController(
  role: ControllerRole,
  world: World,
  { queue, nodeQueue, watch }: { queue: WorkQueue; nodeQueue: WorkQueue; watch: readonly Watch[] },
) {
  return defineController<AttachmentView, AttachmentStep>({
    name: 'attach-detach',
    queue,
    watch,
    lane: world.laneOf,
    view: world.view,
    onView: (pass) => {
      const { seen } = pass.view
      if (isReportStale(pass.view)) nodeQueue.add(seen.nodeName)
      for (const { pod, volume } of grantWishes(seen).refused)
        warn(pass, pod, formatReason(REASONS.VolumeOfOtherNamespace(volume.volumeName)))
    },
    decide: nextAttachmentStep,
    perform: {
      wait: ({ reason, warning }, pass) => {
        const { seen } = pass.view
        if (reason === REASONS.Attached) pass.unsay()
        if (warning?.about === 'pods')
          for (const { pod } of grantWishes(seen).granted) warn(pass, pod, warning.textFor(pod), warning.round)
        if (warning?.about === 'attachment' && seen.attachment) warn(pass, seen.attachment, warning.text, warning.round)
      },
      ...createRequests(role, world),
    },
  })
}

function createRequests(
  { api, report }: ControllerRole,
  { attachments, memory: { creates, created, deletions } }: World,
) {
  /** Wakes others that may be waiting for an attachment that was never created. */
  const forgetCreate = (name: string): void => {
    creates.delete(name)
    report(topicOf(VOLUME_ATTACHMENTS.kind, name))
  }
  const failToCreate = (error: unknown, pass: AttachmentPass): void => {
    forgetCreate(pass.key)
    if (isConflict(error)) return
    const why = error instanceof Error ? error.message : String(error)
    for (const { pod, volume } of grantWishes(pass.view.seen).granted)
      warn(pass, pod, attachFailedText(volume.volumeName, why))
  }
  return {
    create: async ({ attachment }: Step<'create'>, pass: AttachmentPass) => {
      const { key, log } = pass
      const { uniqueName = '', nodeName } = pass.view.seen
      // Before the request: decisions about the volume on other nodes have to take it into account.
      creates.set(key, { uniqueName, nodeName, state: { kind: 'sending' } })
      try {
        await api.create(VOLUME_ATTACHMENTS, attachment)
        log.info('attachment created', { volume: uniqueName, node: nodeName })
      } catch (error) {
        if (isUnanswered(error)) created(key, 'in-doubt')
        else if (!isAlreadyExists(error)) failToCreate(error, pass)
        if (!isAlreadyExists(error)) throw error
      }
      if (attachments.get(key)) creates.delete(key)
      else created(key, 'sent')
      return DONE
    },
    look: async (_step: Step<'look'>, { key }: AttachmentPass) => {
      if (await api.get(VOLUME_ATTACHMENTS, { name: key }).catch(ignoreNotFound)) created(key, 'sent')
      else forgetCreate(key)
      return after(0)
    },
    delete: async ({ attachment, forced }: Step<'delete'>, { key, view: { seen }, log }: AttachmentPass) => {
      const { uid = '' } = attachment.metadata
      const where = { volume: seen.uniqueName, node: seen.nodeName }
      if (forced) log.warn('volume is being detached from a node that may still use it', { ...where, why: forced })
      deletions.set(key, { uid, state: 'sent' })
      try {
        await api.delete(VOLUME_ATTACHMENTS, refOf(attachment), { preconditions: { uid } })
        log.info('attachment deleted', where)
      } catch (error) {
        if (!isNotFound(error) && !isUnanswered(error)) deletions.delete(key)
        if (!isNotFound(error)) throw error
      }
      if (deletions.has(key)) deletions.set(key, { uid, state: 'answered' })
      return DONE
    },
  }
}

/** Reports the same text once per object, and again in each further round of waiting. */
function warn({ say }: AttachmentPass, about: KubeObject, text: string, round = 0): void {
  const event = about.kind === VOLUME_ATTACHMENTS.kind ? 'FailedDetachVolume' : 'FailedAttachVolume'
  say(about, { type: 'Warning', event }, text, `round ${round}`)
}

/** The request may have been carried out. One that was rejected because of too many requests was not. */
export const isUnanswered = (error: unknown): boolean =>
  !(error instanceof ApiError) || (isRetriable(error) && error.code !== 429)
