import { ApiError, ignoreNotFound, isAlreadyExists, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import type { Patch } from '../../api/api.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { AttachedVolume, Node } from '../../api/kinds/node.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { formatReason } from '../../api/reason.ts'
import { repeat } from '../../base/clock.ts'
import {
  after,
  defineController,
  DONE,
  mergeAsSeen,
  on,
  patchAsSeen,
  startControllers,
  topicOf,
} from '../../kube/controller/index.ts'
import type { ControllerRole, Pass, Watch, WorkQueue } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { grantWishes } from './attachment-view.ts'
import type { AttachmentView } from './attachment-view.ts'
import { followWishes } from './follow-wishes.ts'
import { nextAttachmentStep } from './next-attachment-step.ts'
import type { AttachmentStep } from './next-attachment-step.ts'
import { isReportStale, nextNodeStatusStep } from './next-node-status-step.ts'
import type { NodeStatusStep, NodeStatusView } from './next-node-status-step.ts'
import { attachmentsAffected } from './node-facts.ts'
import { createWorld } from './read-world.ts'
import type { World } from './read-world.ts'
import { attachedText, attachFailedText, REASONS } from './reasons.ts'
import { claimUidOf, claimUidOfPodVolume } from '../../storage/life-of.ts'

const BACKOFF = { initialMs: 10, maximumMs: 122_000, jitter: 0.1 }
const NODE_WORKERS = 20

/** Attaches volumes to the nodes of the pods that use them, and detaches them when no pod does. All its state can be read from the API again. */
export const startAttachDetach: StartRole<AttachDetachConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => assemble(config, role))

function assemble(config: AttachDetachConfig, role: ControllerRole) {
  const { clock, createQueue, onStop } = role
  const workers = config.concurrentAttachDetachSyncs
  // Detaching has its own workers: a node full of volumes that cannot be detached must not prevent others from being attached.
  const queue = createQueue({ name: 'attach-detach', lanes: { attach: workers, detach: workers }, backoff: BACKOFF })
  const nodeQueue = createQueue({ name: 'attach-detach-nodes', lanes: { default: NODE_WORKERS }, backoff: BACKOFF })
  const enqueueAll = (names: Iterable<string>): void => {
    for (const name of names) queue.add(name, world.laneOf(name))
  }
  const wishes = followWishes(config, role, (names) => enqueueAll([...names, ...world.otherNames()]))
  const world = createWorld(config, role, wishes)
  const { attachments, volumes, nodes, memory, lastInUse } = world

  const watch: readonly Watch[] = [
    on(volumes, ({ key }) => world.namesOfVolume(key)),
    on(attachments, ({ key, before, after }) => {
      memory.seen(key, after)
      if (before && !after) {
        nodeQueue.add(before.spec.nodeName)
        if (world.namesOn(before.spec.nodeName).length === 0) lastInUse.delete(before.spec.nodeName)
      }
      return key
    }),
    on(nodes, ({ key, before, after }) => {
      if (after) lastInUse.delete(key)
      else if (world.namesOn(key).length > 0) lastInUse.set(key, before?.status?.volumesInUse ?? [])
      const affected = attachmentsAffected(key, before, after)
      // An existing attachment detects by itself that the node's list is out of date.
      if (affected === 'all' || affected?.some((name) => !attachments.get(name))) nodeQueue.add(key)
      return affected === 'all' ? world.namesOn(key) : affected && [...affected, ...world.otherNames()]
    }),
  ]
  if (!config.disableAttachDetachReconcileSync) {
    const checking = repeat(clock, config.attachDetachReconcileSyncPeriodMs, () => {
      wishes.readAll()
      enqueueAll([...wishes.names(), ...Array.from(attachments.all(), keyOf)])
      for (const node of nodes.all()) nodeQueue.add(keyOf(node))
    })
    onStop(() => checking[Symbol.dispose]())
  }
  return [
    defineAttachmentController(role, world, { queue, nodeQueue, watch }),
    defineNodeStatusController(role, world, { queue: nodeQueue, gatherMs: config.nodeStatusGatherMs }),
  ]
}

type AttachmentPass = Pass<AttachmentView, undefined, object>
type Step<Kind extends AttachmentStep['kind']> = Extract<AttachmentStep, { kind: Kind }>

/** One volume on one node: attached while a pod there needs it, detached when none does. */
function defineAttachmentController(
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
    lifeOf: ({ seen: { wishes, attachment } }) => {
      const [wish] = wishes
      const name = attachment?.spec.source.persistentVolumeName
      return [wish ? claimUidOfPodVolume(wish.volume) : claimUidOf(undefined, name)]
    },
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
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof ApiError) || (isRetriable(error) && error.code !== 429)

/** Since when there is something to add. */
type Memory = { readonly addingSinceMs: number }

/** One node: its list of attached volumes is written once for all recent changes. */
function defineNodeStatusController(
  { api, clock, events, report }: ControllerRole,
  { nodes, viewsOf, unsure }: World,
  { queue, gatherMs }: { queue: WorkQueue; gatherMs: number },
) {
  /** The list is known again: attachments may be waiting for it. */
  const settle = (name: string): void => {
    unsure.delete(name)
    report(topicOf(NODES.kind, name))
  }
  const write = async (node: Node, volumes: readonly AttachedVolume[]): Promise<void> => {
    const { name = '' } = node.metadata
    unsure.add(name)
    try {
      await patchAsSeen(api, NODES, node, patchOf(node, volumes), { subresource: 'status' })
      settle(name)
    } catch (error) {
      if (!isUnanswered(error)) settle(name)
      throw error
    }
  }

  return defineController<NodeStatusView, NodeStatusStep, Memory>({
    name: 'attach-detach-nodes',
    queue,
    watch: [],
    view: (name, { memory }) => {
      const node = nodes.get(name)
      return (
        node && {
          seen: { node, attachments: viewsOf(name) },
          held: { nowMs: clock.monotonicMs(), gatherMs, isInDoubt: unsure.has(name), ...memory },
        }
      )
    },
    forget: settle,
    decide: nextNodeStatusStep,
    perform: {
      wait: ({ retryInMs }, pass) => {
        pass.memory = retryInMs === undefined ? undefined : (pass.memory ?? { addingSinceMs: clock.monotonicMs() })
      },
      look: async (_step, { key }) => {
        nodes.remember(await api.get(NODES, { name: key }))
        settle(key)
      },
      write: async ({ volumes, added, removed }, pass) => {
        await write(pass.view.seen.node, volumes)
        pass.memory = undefined
        for (const { seen } of added)
          for (const { pod, volume } of grantWishes(seen).granted)
            events.record(pod, 'Normal', 'SuccessfulAttachVolume', attachedText(volume.volumeName))
        pass.log.info('node status written', { node: pass.key, attached: added.length, withdrawn: removed.length })
      },
    },
  })
}

/**
 * Rejected if the list differs from the one that we saw: a delayed write must not restore a volume that was removed since. If there is no list yet,
 * the node must be unchanged.
 */
function patchOf(node: Node, volumes: readonly AttachedVolume[]): Patch {
  const path = '/status/volumesAttached'
  const present = node.status?.volumesAttached
  if (!present) return mergeAsSeen(node, { status: { volumesAttached: volumes } })
  const change =
    volumes.length === 0 ? ({ op: 'remove', path } as const) : ({ op: 'replace', path, value: volumes } as const)
  return {
    type: 'json',
    operations: [
      { op: 'test', path: '/metadata/uid', value: node.metadata.uid },
      { op: 'test', path, value: present },
      change,
    ],
  }
}
