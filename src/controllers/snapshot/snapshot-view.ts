import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** All that is known about one VolumeSnapshot. */
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
    /** Classes with the default annotation. */
    readonly defaultClasses: readonly VolumeSnapshotClass[]
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly passesVolumeMode: boolean
    /** The server itself was asked for the content in this pass. */
    readonly isContentConfirmed?: boolean
  }
}

/** Where the objects are found. */
export type SnapshotSources = {
  snapshot(key: string): VolumeSnapshot | undefined
  content(name: string): VolumeSnapshotContent | undefined
  snapshotClass(name: string): VolumeSnapshotClass | undefined
  defaultClasses(): readonly VolumeSnapshotClass[]
  claim(key: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  /** Claims whose data source is the snapshot. */
  claimsFrom(snapshotKey: string): readonly PersistentVolumeClaim[]
}

export function readSnapshotView(sources: SnapshotSources, key: string): SnapshotView['seen'] | undefined {
  const snapshot = sources.snapshot(key)
  if (!snapshot) return undefined
  const { source, volumeSnapshotClassName = '' } = snapshot.spec
  const claim = source.persistentVolumeClaimName
    ? sources.claim(`${snapshot.metadata.namespace}/${source.persistentVolumeClaimName}`)
    : undefined
  const restoring = sources.claimsFrom(key).find(({ status }) => status?.phase === 'Pending')
  return withoutUndefined({
    snapshot,
    content: sources.content(contentNameOf(snapshot)),
    snapshotClass: sources.snapshotClass(volumeSnapshotClassName),
    claim,
    volume: sources.volume(claim?.spec.volumeName ?? ''),
    restoring,
    defaultClasses: sources.defaultClasses(),
  })
}

/** The name of a snapshot's content: given by the user, or derived from the uid. */
export const contentNameOf = ({ metadata, spec }: VolumeSnapshot): string =>
  spec.source.volumeSnapshotContentName ?? `snapcontent-${metadata.uid}`
