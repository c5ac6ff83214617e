import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Clock } from '../../base/clock.ts'
import type { FollowedKind } from '../../kube/controller/index.ts'
import { attachmentNameOf, isAttachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import type { AttachDetachConfig } from './attach-detach-options.ts'
import type { AttachmentMemory } from './attachment-memory.ts'
import type { AttachmentHeld, AttachmentView, OtherAttachment } from './attachment-view.ts'
import { grantWishes } from './grant-wishes.ts'
import { identifyAttachment, writtenHandle } from './identify-attachment.ts'
import type { WishTable } from './wish-table.ts'

/** What is known about an attachment or a node, put together at the moment of asking. */
export interface WorldReader {
  /** Undefined: nobody wants it and there is nothing. */
  view(name: string): AttachmentView | undefined
  viewsOf(nodeName: string): AttachmentView[]
  /** Attachments that there are on a node, or should be. */
  namesOn(nodeName: string): string[]
  /** Attachments that name the volume. */
  namesOfVolume(name: string): string[]
}

export type WorldParts = {
  readonly config: AttachDetachConfig
  readonly clock: Clock
  readonly attachments: FollowedKind<VolumeAttachment>
  readonly volumes: FollowedKind<PersistentVolume>
  readonly nodes: FollowedKind<Node>
  readonly wishes: WishTable
  readonly memory: AttachmentMemory
  /** Nodes whose list is being written, or may have been. */
  readonly unsure: ReadonlySet<string>
  /** What nodes used that are gone. */
  readonly lastInUse: ReadonlyMap<string, readonly string[]>
}

const BY_VOLUME = 'attach-detach/volume'
const BY_HANDLE = 'attach-detach/handle'
const BY_NODE = 'attach-detach/node'

export function createWorldReader(parts: WorldParts): WorldReader {
  const { config, clock, attachments, volumes, nodes, wishes, memory, unsure, lastInUse } = parts
  const { disableForceDetachOnTimeout, forceDetachTimeoutMs, attachDetachTimeoutMs: timeoutMs } = config
  attachments.addIndex(BY_VOLUME, ({ spec }) =>
    spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : [],
  )
  attachments.addIndex(BY_NODE, ({ spec }) => [spec.nodeName])
  attachments.addIndex(BY_HANDLE, (attachment) => {
    const handle = writtenHandle(attachment)
    return handle === undefined ? [] : [uniqueVolumeName(attachment.spec.attacher, handle)]
  })
  volumes.addIndex(BY_HANDLE, ({ spec: { csi } }) => (csi ? [uniqueVolumeName(csi.driver, csi.volumeHandle)] : []))

  const view = (name: string): AttachmentView | undefined => {
    const attachment = attachments.get(name)
    const create = memory.findCreate(name)
    const wished = wishes.byName((attachment && !isAttachmentName(name) ? ownNameOf(attachment) : undefined) ?? name)
    memory.note(name, {
      attachment,
      isWanted: grantWishes({ wishes: wished, ...(attachment ? { attachment } : {}) }).granted.length > 0,
    })
    const nodeName = wished[0]?.nodeName ?? attachment?.spec.nodeName ?? create?.nodeName
    if (nodeName === undefined) return undefined
    const node = nodes.get(nodeName)
    const volumeName = wished[0]?.volume.uniqueName ?? (attachment ? identify(attachment, node) : create?.volumeName)
    const isElsewhere = volumeName !== undefined && wished.length > 0 && !attachment
    return {
      seen: {
        name,
        nodeName,
        ...(volumeName === undefined ? {} : { volumeName }),
        wishes: wished,
        ...(attachment ? { attachment } : {}),
        ...(node ? { node } : {}),
        elsewhere: isElsewhere ? attachmentsElsewhere(volumeName, nodeName) : [],
        otherPods: isElsewhere ? podsElsewhere(volumeName, nodeName) : [],
      },
      held: heldOf(name, nodeName),
    }
  }
  const heldOf = (name: string, nodeName: string): AttachmentHeld => {
    const used = lastInUse.get(nodeName)
    return {
      ...memory.find(name),
      nowMs: clock.monotonicMs(),
      ...(disableForceDetachOnTimeout ? {} : { forceDetachAfterMs: forceDetachTimeoutMs }),
      timeoutMs,
      isStatusUnsure: unsure.has(nodeName),
      ...(used ? { lastInUse: used } : {}),
    }
  }
  // What somebody named in another way is wanted as long as the volume is.
  const ownNameOf = (attachment: VolumeAttachment): string | undefined => {
    const { nodeName } = attachment.spec
    const volumeName = identify(attachment, nodes.get(nodeName))
    return volumeName === undefined ? undefined : attachmentNameOf(volumeName, nodeName)
  }
  const identify = (attachment: VolumeAttachment, node: Node | undefined): string | undefined => {
    const { persistentVolumeName } = attachment.spec.source
    return identifyAttachment(attachment, {
      volume: persistentVolumeName ? volumes.get(persistentVolumeName) : undefined,
      node,
    })
  }

  // An attachment that was only asked for counts, and so does one of a second PersistentVolume with the same handle.
  const attachmentsElsewhere = (volumeName: string, nodeName: string): OtherAttachment[] => {
    const named = volumes
      .byIndex(BY_HANDLE, volumeName)
      .flatMap((volume) => attachments.byIndex(BY_VOLUME, keyOf(volume)))
    const others = new Map<string, OtherAttachment>()
    for (const { name, nodeName: other } of memory.createsOf(volumeName)) others.set(name, { name, nodeName: other })
    for (const seen of [...named, ...attachments.byIndex(BY_HANDLE, volumeName)]) {
      const name = keyOf(seen)
      const attachment = attachments.get(name) ?? seen
      const other = attachment.spec.nodeName
      if (identify(attachment, nodes.get(other)) === volumeName) others.set(name, { name, nodeName: other, attachment })
    }
    return [...others.values()].filter((other) => other.nodeName !== nodeName)
  }
  const podsElsewhere = (volumeName: string, nodeName: string): Pod[] =>
    wishes
      .byVolume(volumeName)
      .filter((wish) => wish.nodeName !== nodeName)
      .map(({ pod }) => pod)

  const namesOn = (nodeName: string): string[] => [
    ...new Set([...wishes.byNode(nodeName), ...attachments.byIndex(BY_NODE, nodeName).map(keyOf)]),
  ]
  return {
    view,
    namesOn,
    viewsOf: (nodeName) =>
      namesOn(nodeName)
        .map(view)
        .filter((each) => each !== undefined),
    namesOfVolume: (name) => attachments.byIndex(BY_VOLUME, name).map(keyOf),
  }
}
