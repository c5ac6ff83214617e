import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import { createAttachmentMemory } from './attachment-memory.ts'
import { identifyAttachment, readAttachmentView, writtenHandle } from './attachment-view.ts'
import type { AttachmentSources, AttachmentView, OtherAttachment } from './attachment-view.ts'
import type { Wishes } from './follow-wishes.ts'
import { grantWishes } from './grant-wishes.ts'

const BY_VOLUME = 'attach-detach/volume'
const BY_HANDLE = 'attach-detach/handle'
const BY_NODE = 'attach-detach/node'

export type World = ReturnType<typeof createWorld>

/** What is known about attachments and nodes, read at the moment of asking. */
export function createWorld(config: AttachDetachConfig, { clock, follow }: ControllerRole, wishes: Wishes) {
  const attachments = follow(VOLUME_ATTACHMENTS, {
    indexes: {
      [BY_VOLUME]: ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []),
      [BY_NODE]: ({ spec }) => [spec.nodeName],
      [BY_HANDLE]: (attachment) => {
        const handle = writtenHandle(attachment)
        return handle === undefined ? [] : [uniqueVolumeName(attachment.spec.attacher, handle)]
      },
    },
  })
  const volumes = follow(PERSISTENT_VOLUMES, {
    indexes: { [BY_HANDLE]: ({ spec: { csi } }) => (csi ? [uniqueVolumeName(csi.driver, csi.volumeHandle)] : []) },
  })
  const nodes = follow(NODES)
  const memory = createAttachmentMemory(clock)
  /** Nodes whose list is being written, or may have been. */
  const unsure = new Set<string>()
  /** The volumes in use on nodes that are gone. */
  const lastInUse = new Map<string, readonly string[]>()

  // An attachment that was only requested counts, and so does one of a second PersistentVolume with the same handle.
  const attachmentsElsewhere = (uniqueName: string, nodeName: string): OtherAttachment[] => {
    const others = new Map<string, OtherAttachment>()
    for (const [name, create] of memory.creates)
      if (create.uniqueName === uniqueName) others.set(name, { name, nodeName: create.nodeName })
    const named = volumes
      .byIndex(BY_HANDLE, uniqueName)
      .flatMap((volume) => attachments.byIndex(BY_VOLUME, keyOf(volume)))
    for (const seen of [...named, ...attachments.byIndex(BY_HANDLE, uniqueName)]) {
      const name = keyOf(seen)
      const attachment = attachments.get(name) ?? seen
      if (identifyAttachment(attachment, sources) === uniqueName)
        others.set(name, { name, nodeName: attachment.spec.nodeName, attachment })
    }
    return [...others.values()].filter((other) => other.nodeName !== nodeName)
  }
  const sources: AttachmentSources = {
    attachment: attachments.get,
    volume: volumes.get,
    node: nodes.get,
    wishes: wishes.byName,
    create: (name) => memory.creates.get(name),
    elsewhere: (uniqueName, nodeName) => ({
      elsewhere: attachmentsElsewhere(uniqueName, nodeName),
      otherPods: wishes
        .byVolume(uniqueName)
        .filter((wish) => wish.nodeName !== nodeName)
        .map(({ pod }) => pod),
    }),
  }
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
  /** Attachments that exist on a node, or should. */
  const namesOn = (nodeName: string): string[] => [
    ...new Set([
      ...wishes.byNode(nodeName).map(({ name }) => name),
      ...attachments.byIndex(BY_NODE, nodeName).map(keyOf),
    ]),
  ]
  return {
    attachments,
    volumes,
    nodes,
    memory,
    unsure,
    lastInUse,
    /** Undefined: no pod wants it, and there is no attachment. */
    view,
    viewsOf: (nodeName: string): AttachmentView[] => namesOn(nodeName).flatMap((name) => view(name) ?? []),
    namesOn,
    /** Attachments that name the volume. */
    namesOfVolume: (volumeName: string): string[] => attachments.byIndex(BY_VOLUME, volumeName).map(keyOf),
    isWanted: (name: string): boolean => wishes.byName(name).length > 0,
  }
}
