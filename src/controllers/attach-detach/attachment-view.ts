import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { Reason } from '../../api/reason.ts'
import { attachmentName, attachmentNameOf, isAttachmentName } from '../../storage/attachment-name.ts'
import { isPodOver } from '../../storage/is-pod-over.ts'
import { ATTACHED_HANDLE, IN_LINE_NAMESPACE } from '../../storage/names.ts'
import { needsAttach } from '../../storage/needs-attach.ts'
import { resolvePodVolume } from '../../storage/resolve-pod-volume.ts'
import type { CsiVolume, VolumeLookup } from '../../storage/resolve-pod-volume.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'

/** A pod that needs a volume on its node. */
export type PodWish = {
  /** Of the VolumeAttachment. */
  readonly name: string
  readonly nodeName: string
  readonly pod: Pod
  readonly volume: CsiVolume
}

/** Everything known about one volume and one node. */
export type AttachmentView = {
  readonly seen: {
    readonly name: string
    readonly nodeName: string
    /** The volume's name in a node's status. Undefined if the volume is gone and its handle is unknown. */
    readonly uniqueName?: string | undefined
    /** Empty if no pod needs it here. */
    readonly wishes: readonly PodWish[]
    readonly attachment?: VolumeAttachment | undefined
    readonly node?: Node | undefined
  } & Elsewhere
  readonly held?: AttachmentHeld
}

export type Elsewhere = {
  /** Attachments of the same volume to other nodes, needed or not, confirmed or not. */
  readonly elsewhere: readonly OtherAttachment[]
  /** Pods on other nodes that need the volume. */
  readonly otherPods: readonly Pod[]
}

export type OtherAttachment = {
  readonly name: string
  readonly nodeName: string
  /** Undefined if it was requested, and not seen yet. */
  readonly attachment?: VolumeAttachment
}

export type AttachmentHeld = {
  readonly nowMs: number
  /** Undefined: never, whatever the node's health. */
  readonly forceDetachAfterMs?: number | undefined
  readonly timeoutMs: number
  readonly create?: CreateState | undefined
  /** Set if a deletion was requested: `sent` until the server has responded. */
  readonly deletion?: 'sent' | 'answered' | undefined
  /** A write of the node's list may or may not have happened. */
  readonly isStatusUnsure: boolean
  /** Since when it exists, is needed, and is not attached; or since when it is being deleted. */
  readonly waitingSinceMs?: number | undefined
  /** Since when no pod needs it. */
  readonly unwantedSinceMs?: number | undefined
  /** The volumes that were in use on a node that is gone. */
  readonly lastInUse?: readonly string[] | undefined
}

export type CreateState =
  | { readonly kind: 'sending' }
  /** The server has the object; the cache does not show it yet. */
  | { readonly kind: 'sent'; readonly checkAtMs: number }
  /** There was no response: it may exist. */
  | { readonly kind: 'in-doubt'; readonly checkAtMs: number }

/** An attachment that was requested and not seen yet. */
export type Create = { readonly uniqueName: string; readonly nodeName: string; readonly state: CreateState }

/** The objects that a view is made of. */
export type AttachmentSources = {
  attachment(name: string): VolumeAttachment | undefined
  volume(name: string): PersistentVolume | undefined
  node(name: string): Node | undefined
  /** By the name that the attachment should have. */
  wishes(name: string): readonly PodWish[]
  create?(name: string): Create | undefined
  /** Requested only if the volume is needed and has no attachment yet. */
  elsewhere(uniqueName: string, nodeName: string): Elsewhere
}

/** Undefined if no pod needs it, and there is no attachment. */
export function readAttachmentView(sources: AttachmentSources, name: string): Pick<AttachmentView, 'seen'> | undefined {
  const attachment = sources.attachment(name)
  const create = sources.create?.(name)
  const identify = () => attachment && identifyAttachment(attachment, sources)
  // An attachment that another client named is needed as long as its volume is.
  const foreign = isAttachmentName(name) ? undefined : identify()
  const expected = foreign && attachment ? attachmentNameOf(foreign, attachment.spec.nodeName) : undefined
  const wishes = sources.wishes(expected ?? name)
  const nodeName = wishes[0]?.nodeName ?? attachment?.spec.nodeName ?? create?.nodeName
  if (nodeName === undefined) return undefined
  const uniqueName = wishes[0]?.volume.uniqueName ?? (attachment ? identify() : create?.uniqueName)
  const elsewhere =
    uniqueName !== undefined && wishes.length > 0 && !attachment
      ? sources.elsewhere(uniqueName, nodeName)
      : { elsewhere: [], otherPods: [] }
  return { seen: { name, nodeName, uniqueName, wishes, attachment, node: sources.node(nodeName), ...elsewhere } }
}

/** The handle recorded in the object itself. */
export const writtenHandle = ({ metadata, spec }: VolumeAttachment): string | undefined =>
  metadata.annotations?.[ATTACHED_HANDLE] ?? spec.source.inlineVolumeSpec?.csi?.volumeHandle

/**
 * The unique name of an attachment's volume. The object's name is derived from handle, driver and node, so it identifies the right one of the
 * possible handles, even if the volume is gone and only the node still reports it.
 */
export function identifyAttachment(
  attachment: VolumeAttachment,
  sources: Pick<AttachmentSources, 'volume' | 'node'>,
): string | undefined {
  const { name = '' } = attachment.metadata
  const { attacher: driver, nodeName, source } = attachment.spec
  const csi = source.persistentVolumeName ? sources.volume(source.persistentVolumeName)?.spec.csi : undefined
  const handles = new Set([writtenHandle(attachment), csi?.driver === driver ? csi.volumeHandle : undefined])
  handles.delete(undefined)
  const isMeant = (each: string | undefined): boolean =>
    attachmentName({ driver, volumeHandle: each ?? '', nodeName }) === name
  const [first] = handles
  const handle = handles.size > 1 ? (handles.values().find(isMeant) ?? first) : first
  if (handle !== undefined) return uniqueVolumeName(driver, handle)
  const { volumesInUse = [], volumesAttached = [] } = sources.node(nodeName)?.status ?? {}
  return [...volumesInUse, ...volumesAttached.map((each) => each.name)].find(
    (each) => attachmentNameOf(each, nodeName) === name,
  )
}

export type WishesOfPod = {
  readonly wishes: readonly PodWish[]
  /** Volumes that the pod may not have. */
  readonly refused: readonly { readonly podVolumeName: string; readonly reason: Reason }[]
}

/** The volumes that have to be attached for this pod: none before it has a node, and none once it has ended. */
export function wishesOfPod(pod: Pod, lookup: VolumeLookup, options: { skipAttach: boolean }): WishesOfPod {
  const { nodeName, volumes = [] } = pod.spec
  if (!nodeName || volumes.length === 0 || isPodOver(pod)) return { wishes: [], refused: [] }
  // Two volumes of a pod can be the same volume.
  const wishes = new Map<string, PodWish>()
  const refused: { podVolumeName: string; reason: Reason }[] = []
  for (const each of volumes) {
    const resolved = resolvePodVolume(pod, each, lookup)
    if (resolved.kind === 'refused') refused.push({ podVolumeName: each.name, reason: resolved.reason })
    if (resolved.kind !== 'csi') continue
    const { volume } = resolved
    if (!needsAttach(lookup.driver(volume.driver), options)) continue
    const name = attachmentName({ ...volume, nodeName })
    if (!wishes.has(name)) wishes.set(name, { name, nodeName, pod, volume })
  }
  return { wishes: [...wishes.values()], refused }
}

type Granted = { readonly granted: readonly PodWish[]; readonly refused: readonly PodWish[] }

/**
 * The pods that may use the volume here. A claim is sufficient. A pod that only names a handle is denied a volume that a pod of another namespace has
 * on this node, because it would be accessed with the secrets of that namespace.
 */
export function grantWishes({ wishes, attachment }: Pick<AttachmentView['seen'], 'wishes' | 'attachment'>): Granted {
  const owner = attachment?.metadata.annotations?.[IN_LINE_NAMESPACE] ?? firstNamespace(wishes)
  const isGranted = (wish: PodWish): boolean => !isInLine(wish) || wish.pod.metadata.namespace === owner
  return { granted: wishes.filter(isGranted), refused: wishes.filter((wish) => !isGranted(wish)) }
}

/** The volume is defined in the pod itself: no PersistentVolume, no claim. */
export const isInLine = ({ volume: { persistentVolume: volume } }: PodWish): boolean => volume === undefined

function firstNamespace(wishes: readonly PodWish[]): string | undefined {
  const byClaim = wishes.filter((wish) => !isInLine(wish))
  const candidates = byClaim.length > 0 ? byClaim : wishes
  const oldest = candidates.reduce<PodWish | undefined>(
    (first, wish) => (first && ageOf(first) <= ageOf(wish) ? first : wish),
    undefined,
  )
  return oldest?.pod.metadata.namespace
}

const ageOf = ({ pod: { metadata } }: PodWish): string => `${metadata.creationTimestamp} ${metadata.uid}`
