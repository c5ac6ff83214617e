import { createHash } from 'node:crypto'
import type {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshotInfo,
} from '../../api/kinds/volume-group-snapshot.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { labelRequirementsOf, matchesLabelSelector } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import { SelectorError } from '../../api/selector-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** Everything known about one VolumeGroupSnapshot. */
export type GroupView = {
  readonly seen: {
    readonly group: VolumeGroupSnapshot
    /** The content that the group names, is bound to, or would get. */
    readonly content?: VolumeGroupSnapshotContent
    /** The class that the group names. */
    readonly groupClass?: VolumeGroupSnapshotClass
    /** Classes with the default annotation. */
    readonly defaultClasses: readonly VolumeGroupSnapshotClass[]
    /** The claims that the selector matches, by name. */
    readonly sources: readonly GroupSource[]
    /** Why the selector is invalid. */
    readonly selectorProblem?: string
    /** One for each snapshot that the driver has taken. */
    readonly members: readonly GroupMember[]
    /** VolumeSnapshots that the group owns. */
    readonly snapshots: readonly VolumeSnapshot[]
    /** A member that a claim is being restored from. */
    readonly restoring?: { readonly snapshot: VolumeSnapshot; readonly claim: PersistentVolumeClaim }
  }
  /** Undefined if called from outside. */
  readonly held?: {
    readonly passesVolumeMode: boolean
    /** Absent: durations are not checked. */
    readonly nowMs?: number
    /** The content was read from the server in this pass. */
    readonly isContentConfirmed?: boolean
    /** The VolumeSnapshots of the group were read from the server in this pass. */
    readonly areSnapshotsConfirmed?: boolean
    /** With distributed snapshotting: the node that a volume is on. */
    nodeOf?(volume: PersistentVolume): string | undefined
  }
}

export type GroupSource = { readonly claim: PersistentVolumeClaim; readonly volume?: PersistentVolume }

export type GroupMember = {
  readonly info: VolumeSnapshotInfo
  readonly snapshotName: string
  readonly contentName: string
  /** The source volume of the snapshot, if it still exists. */
  readonly volume?: PersistentVolume
  readonly snapshot?: VolumeSnapshot
  readonly content?: VolumeSnapshotContent
}

/** The sources of the objects. */
export type GroupSources = {
  group(key: string): VolumeGroupSnapshot | undefined
  groupContent(name: string): VolumeGroupSnapshotContent | undefined
  groupClass(name: string): VolumeGroupSnapshotClass | undefined
  defaultGroupClasses(): readonly VolumeGroupSnapshotClass[]
  claimsIn(namespace: string): readonly PersistentVolumeClaim[]
  volume(name: string): PersistentVolume | undefined
  volumeOfHandle(driver: string, handle: string): PersistentVolume | undefined
  snapshot(key: string): VolumeSnapshot | undefined
  content(name: string): VolumeSnapshotContent | undefined
  /** VolumeSnapshots that the group owns. */
  snapshotsOf(group: VolumeGroupSnapshot): readonly VolumeSnapshot[]
  /** Claims whose data source is the snapshot. */
  claimsFrom(snapshotKey: string): readonly PersistentVolumeClaim[]
}

export function readGroupView(sources: GroupSources, key: string): GroupView['seen'] | undefined {
  const group = sources.group(key)
  if (!group) return undefined
  const content = sources.groupContent(groupContentNameOf(group))
  const selected = selectClaims(sources, group)
  const snapshots = sources.snapshotsOf(group)
  return withoutUndefined({
    group,
    content,
    groupClass: sources.groupClass(group.spec.volumeGroupSnapshotClassName ?? ''),
    defaultClasses: sources.defaultGroupClasses(),
    sources: selected.claims.map((claim) =>
      withoutUndefined({ claim, volume: sources.volume(claim.spec.volumeName ?? '') }),
    ),
    selectorProblem: selected.problem,
    members: (content?.status?.volumeSnapshotInfoList ?? []).map((info) =>
      readMember(sources, group, content?.spec.driver ?? '', info),
    ),
    snapshots,
    restoring: findRestoring(sources, snapshots),
  })
}

function selectClaims(
  { claimsIn }: GroupSources,
  { metadata, spec }: VolumeGroupSnapshot,
): { claims: readonly PersistentVolumeClaim[]; problem?: string } {
  const { selector } = spec.source
  if (!selector) return { claims: [] }
  try {
    const requirements = labelRequirementsOf(selector)
    const claims = claimsIn(metadata.namespace ?? '').filter((claim) =>
      matchesLabelSelector(requirements, claim.metadata.labels),
    )
    return { claims: claims.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)) }
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    return { claims: [], problem: error.message }
  }
}

function readMember(
  sources: GroupSources,
  { metadata: { namespace = '', uid = '' } }: VolumeGroupSnapshot,
  driver: string,
  info: VolumeSnapshotInfo,
): GroupMember {
  const { volumeHandle = '' } = info
  const names = memberNamesOf(uid, volumeHandle)
  return withoutUndefined({
    info,
    ...names,
    volume: sources.volumeOfHandle(driver, volumeHandle),
    snapshot: sources.snapshot(`${namespace}/${names.snapshotName}`),
    content: sources.content(names.contentName),
  })
}

function findRestoring(
  { claimsFrom }: GroupSources,
  snapshots: readonly VolumeSnapshot[],
): GroupView['seen']['restoring'] {
  for (const snapshot of snapshots) {
    const claim = claimsFrom(keyOf(snapshot)).find(({ status }) => status?.phase === 'Pending')
    if (claim) return { snapshot, claim }
  }
  return undefined
}

/** The name of a group's content: given by the user, or derived from the UID. */
export const groupContentNameOf = ({ metadata, spec }: VolumeGroupSnapshot): string =>
  spec.source.volumeGroupSnapshotContentName ?? `groupsnapcontent-${metadata.uid}`

/** The names of a member and of its content, from the UID of the group and the handle of the volume. */
export function memberNamesOf(groupUid: string, volumeHandle: string): { snapshotName: string; contentName: string } {
  const hash = createHash('sha256').update(`${groupUid}${volumeHandle}`).digest('hex')
  return { snapshotName: `snapshot-${hash}`, contentName: `snapcontent-${hash}` }
}
