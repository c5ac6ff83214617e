import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { nodeNamesOf, volumeNamesOf } from '../../storage/attachment-indexes.ts'
import { isAttachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { grantWishes, identifyAttachment, readAttachmentView, writtenHandle } from './attachment-view.ts'
import type { AttachmentHeld, AttachmentSources, AttachmentView, Create, OtherAttachment } from './attachment-view.ts'
import type { Wishes } from './follow-wishes.ts'

export type World = ReturnType<typeof createWorld>

/** The current knowledge about attachments and nodes. */
export function createWorld(config: AttachDetachConfig, role: ControllerRole, wishes: Wishes) {
  const { clock, follow } = role
  const attachments = follow(VOLUME_ATTACHMENTS)
  const attachmentsOn = attachments.indexBy(nodeNamesOf)
  const attachmentsOf = attachments.indexBy(volumeNamesOf)
  const namedOtherwise = attachments.indexBy(foreignNamesOf)
  const volumes = follow(PERSISTENT_VOLUMES)
  const nodes = follow(NODES)
  const memory = createAttachmentMemory(clock)
  /** Nodes whose list is being written, or may have been. */
  const unsure = new Set<string>()
  /** The volumes that were in use on nodes that are gone. */
  const lastInUse = new Map<string, readonly string[]>()

  const sources: AttachmentSources = {
    attachment: attachments.get,
    volume: volumes.get,
    node: nodes.get,
    wishes: wishes.byName,
    create: (name) => memory.creates.get(name),
    elsewhere: (uniqueName, nodeName) => ({
      elsewhere: attachmentsTo(uniqueName).filter((other) => other.nodeName !== nodeName),
      otherPods: wishes.byVolume(uniqueName).flatMap((wish) => (wish.nodeName === nodeName ? [] : [wish.pod])),
    }),
  }
  const attachmentsTo = createAttachmentSearch(role, memory, (attachment) => identifyAttachment(attachment, sources))
  const view = (name: string): AttachmentView | undefined => {
    const read = readAttachmentView(sources, name)
    if (!read) return undefined
    const { seen } = read
    return {
      seen,
      held: {
        ...memory.held(name, seen.attachment, grantWishes(seen).granted.length > 0),
        nowMs: clock.monotonicMs(),
        forceDetachAfterMs: config.disableForceDetachOnTimeout ? undefined : config.forceDetachTimeoutMs,
        timeoutMs: config.attachDetachTimeoutMs,
        isStatusUnsure: unsure.has(seen.nodeName),
        lastInUse: lastInUse.get(seen.nodeName),
      },
    }
  }
  /** Attachments that exist on a node, or should exist. */
  const namesOn = (nodeName: string): string[] => [
    ...new Set([...wishes.byNode(nodeName).map(({ name }) => name), ...attachmentsOn(nodeName).map(keyOf)]),
  ]
  return {
    attachments,
    volumes,
    nodes,
    memory,
    unsure,
    lastInUse,
    /** Undefined if no pod needs it, and there is no attachment. */
    view,
    viewsOf: (nodeName: string): AttachmentView[] => namesOn(nodeName).flatMap((name) => view(name) ?? []),
    namesOn,
    /** Attachments of the volume. */
    namesOfVolume: (volumeName: string): string[] => attachmentsOf(volumeName).map(keyOf),
    /** Attachments that another client named: no pod's volumes lead to them. */
    otherNames: (): string[] => namedOtherwise('').map(keyOf),
    laneOf: (name: string): string => (wishes.byName(name).length > 0 ? 'attach' : 'detach'),
  }
}

/** Finds the attachments of a volume to any node, including requested ones and those of a second PersistentVolume with the same handle. */
function createAttachmentSearch(
  { follow }: ControllerRole,
  memory: AttachmentMemory,
  identify: (attachment: VolumeAttachment) => string | undefined,
): (uniqueName: string) => OtherAttachment[] {
  const attachments = follow(VOLUME_ATTACHMENTS)
  const attachmentsOf = attachments.indexBy(volumeNamesOf)
  const attachmentsWith = attachments.indexBy(writtenVolumesOf)
  const volumesWith = follow(PERSISTENT_VOLUMES).indexBy(uniqueNamesOf)
  return (uniqueName) => {
    const found = new Map<string, OtherAttachment>()
    for (const [name, create] of memory.creates)
      if (create.uniqueName === uniqueName) found.set(name, { name, nodeName: create.nodeName })
    const named = volumesWith(uniqueName).flatMap((volume) => attachmentsOf(keyOf(volume)))
    for (const attachment of [...named, ...attachmentsWith(uniqueName)]) {
      const name = keyOf(attachment)
      if (identify(attachment) === uniqueName) found.set(name, { name, nodeName: attachment.spec.nodeName, attachment })
    }
    return [...found.values()]
  }
}

// Functions for indexes are made once: a role that starts again must find its indexes, not add others to the caches.
const foreignNamesOf = (attachment: VolumeAttachment): string[] => (isAttachmentName(keyOf(attachment)) ? [] : [''])

function writtenVolumesOf(attachment: VolumeAttachment): string[] {
  const handle = writtenHandle(attachment)
  return handle === undefined ? [] : [uniqueVolumeName(attachment.spec.attacher, handle)]
}

const uniqueNamesOf = ({ spec: { csi } }: PersistentVolume): string[] =>
  csi ? [uniqueVolumeName(csi.driver, csi.volumeHandle)] : []

// A cache that has not shown it by then may have missed it.
const CHECK_AFTER_MS = 10_000

type AttachmentMemory = ReturnType<typeof createAttachmentMemory>

/**
 * Our knowledge about attachments beyond the server's objects: our own pending writes, and how long we have been waiting. It may be lost in a
 * restart.
 */
function createAttachmentMemory(clock: Clock) {
  /** Attachments that were requested and not seen yet, by name. */
  const creates = new Map<string, Create>()
  const deletions = new Map<string, { readonly uid: string; readonly state: 'sent' | 'answered' }>()
  const phases = new Map<string, { readonly id: string; readonly sinceMs: number }>()

  /** Since when the attachment of this uid is in the phase. */
  const sinceMs = (name: string, uid: string, phase: string): number => {
    const id = `${phase} ${uid}`
    const known = phases.get(name)
    if (known?.id === id) return known.sinceMs
    phases.set(name, { id, sinceMs: clock.monotonicMs() })
    return clock.monotonicMs()
  }
  return {
    creates,
    deletions,
    held: (name: string, attachment: VolumeAttachment | undefined, isWanted: boolean): Partial<AttachmentHeld> => {
      const { uid = '', deletionTimestamp } = attachment?.metadata ?? {}
      const writes = { create: creates.get(name)?.state, deletion: deletions.get(name)?.state }
      if (deletionTimestamp) return { ...writes, waitingSinceMs: sinceMs(name, uid, 'leaving') }
      if (attachment && !isWanted) return { ...writes, unwantedSinceMs: sinceMs(name, uid, 'unwanted') }
      if (attachment && !attachment.status?.attached)
        return { ...writes, waitingSinceMs: sinceMs(name, uid, 'waiting') }
      phases.delete(name)
      return writes
    },
    created: (name: string, kind: 'sent' | 'in-doubt'): void => {
      const create = creates.get(name)
      if (create) creates.set(name, { ...create, state: { kind, checkAtMs: clock.monotonicMs() + CHECK_AFTER_MS } })
    },
    /** The server has reported the current object. */
    seen: (name: string, attachment: VolumeAttachment | undefined): void => {
      if (attachment?.metadata.uid !== deletions.get(name)?.uid || attachment?.metadata.deletionTimestamp)
        deletions.delete(name)
      // A request that is still being sent ends by itself.
      if (creates.get(name)?.state.kind !== 'sending') creates.delete(name)
      if (!attachment) phases.delete(name)
    },
  }
}
