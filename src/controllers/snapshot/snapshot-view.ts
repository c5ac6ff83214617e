import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeGroupSnapshot, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** Everything known about one VolumeSnapshot. */
export type SnapshotView = {
  readonly seen: {
    readonly snapshot: VolumeSnapshot
    /** The content that the snapshot names, is bound to, or would get. */
    readonly content?: VolumeSnapshotContent
    /** The class that the snapshot names. */
    readonly snapshotClass?: VolumeSnapshotClass
    /** The claim to take the snapshot of, and its volume. */
    readonly claim?: PersistentVolumeClaim
    readonly volume?: PersistentVolume
    /** A claim that is being restored from the snapshot. */
    readonly restoring?: PersistentVolumeClaim
    /** The VolumeGroupSnapshot that the snapshot is a member of. */
    readonly group?: VolumeGroupSnapshot
    /** Classes with the default annotation. */
    readonly defaultClasses: readonly VolumeSnapshotClass[]
  }
  /** Undefined if called from outside. */
  readonly held?: {
    readonly passesVolumeMode: boolean
    /** Absent: durations are not checked. */
    readonly nowMs?: number
    /** The content was read from the server in this pass. */
    readonly isContentConfirmed?: boolean
    /** The group was read from the server in this pass. */
    readonly isGroupConfirmed?: boolean
    /** Changes of groups wake their members. Default: true. */
    readonly followsGroups?: boolean
    /** With distributed snapshotting: the node that a volume is on. */
    nodeOf?(volume: PersistentVolume): string | undefined
  }
}

/** The sources of the objects. */
export type SnapshotSources = {
  snapshot(key: string): VolumeSnapshot | undefined
  content(name: string): VolumeSnapshotContent | undefined
  snapshotClass(name: string): VolumeSnapshotClass | undefined
  defaultClasses(): readonly VolumeSnapshotClass[]
  claim(key: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  /** Claims whose data source is the snapshot. */
  claimsFrom(snapshotKey: string): readonly PersistentVolumeClaim[]
  group(key: string): VolumeGroupSnapshot | undefined
  /** The content of the group snapshot with this handle. */
  groupContentOf(driver: string, groupHandle: string): VolumeGroupSnapshotContent | undefined
}

export function readSnapshotView(sources: SnapshotSources, key: string): SnapshotView['seen'] | undefined {
  const snapshot = sources.snapshot(key)
  if (!snapshot) return undefined
  const { source, volumeSnapshotClassName = '' } = snapshot.spec
  const claim = source.persistentVolumeClaimName
    ? sources.claim(`${snapshot.metadata.namespace}/${source.persistentVolumeClaimName}`)
    : undefined
  const restoring = sources.claimsFrom(key).find(({ status }) => status?.phase === 'Pending')
  const content = sources.content(contentNameOf(snapshot))
  return withoutUndefined({
    snapshot,
    content,
    snapshotClass: sources.snapshotClass(volumeSnapshotClassName),
    claim,
    volume: sources.volume(claim?.spec.volumeName ?? ''),
    restoring,
    group: findGroup(sources, snapshot, content),
    defaultClasses: sources.defaultClasses(),
  })
}

function findGroup(
  { group, groupContentOf }: SnapshotSources,
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent | undefined,
): VolumeGroupSnapshot | undefined {
  const ref = groupRefOf(snapshot)
  const handle = content?.status?.volumeGroupSnapshotHandle
  if (!ref && (handle === undefined || !content)) return undefined
  const groupRef =
    handle && content ? groupContentOf(content.spec.driver, handle)?.spec.volumeGroupSnapshotRef : undefined
  const { name = '', uid } = ref ?? { name: groupRef?.name, uid: groupRef?.uid }
  // A group is in the namespace of its members.
  const found = group(`${snapshot.metadata.namespace}/${name}`)
  return uid === undefined || found?.metadata.uid === uid ? found : undefined
}

/** The group in a snapshot's status or owner references. With the UID if the group owns it. */
export function groupRefOf({ metadata, status }: VolumeSnapshot): { name: string; uid?: string } | undefined {
  const owner = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'VolumeGroupSnapshot' && apiVersion.startsWith('groupsnapshot.storage.k8s.io/'),
  )
  if (owner) return { name: owner.name, uid: owner.uid }
  return status?.volumeGroupSnapshotName ? { name: status.volumeGroupSnapshotName } : undefined
}

/** Whether the snapshot was created for a group, and not by a user. */
export const isCreatedForGroup = (snapshot: VolumeSnapshot): boolean =>
  snapshot.spec.source.volumeSnapshotContentName === undefined && groupRefOf(snapshot)?.uid !== undefined

/** The name of a snapshot's content: given by the user, or derived from the UID, or for a member of a group from its own name. */
export function contentNameOf(snapshot: VolumeSnapshot): string {
  const { metadata, spec, status } = snapshot
  if (isCreatedForGroup(snapshot))
    return status?.boundVolumeSnapshotContentName ?? `snapcontent-${metadata.name?.replace(/^snapshot-/, '')}`
  return spec.source.volumeSnapshotContentName ?? `snapcontent-${metadata.uid}`
}
