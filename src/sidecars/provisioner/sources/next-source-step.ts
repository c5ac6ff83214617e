import { hasFinalizer } from '../../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { VolumeSnapshot } from '../../../api/kinds/volume-snapshot.ts'
import { refOf } from '../../../api/object-key.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'
import { REASONS } from '../reasons.ts'
import type { ProvisionerReason } from '../reasons.ts'

/** The object that a volume is copied from. */
export type Source = PersistentVolumeClaim | VolumeSnapshot

export type SourceView = {
  readonly seen: {
    /** Undefined for a snapshot that was not read yet. */
    readonly source: Source | undefined
    /** All claims, of any namespace, that are filled from the source: those with its `sourceKey`. */
    readonly claims: readonly PersistentVolumeClaim[]
  }
  readonly held?: {
    /** Whether a call that needs the source is in progress or in doubt, even if its claim is deleted. */
    readonly isInUse: boolean
    /** How much longer an unused source keeps our finalizer, so that many copies in a row do not cost a write each. */
    readonly keptForMs: number
  }
}

export type SourceStep =
  | { readonly kind: 'wait'; readonly reason: ProvisionerReason }
  /** Unused for now; decide again at that time. */
  | { readonly kind: 'keep'; readonly reason: ProvisionerReason; readonly forMs: number }
  /** Read the snapshot, which is not watched. */
  | { readonly kind: 'read-snapshot' }
  /** Update the source, now without our finalizer. */
  | { readonly kind: 'release'; readonly object: Source }

/** When our finalizer is removed from a claim or snapshot: once the last copy of it has its volume, not the first. */
export function nextSourceStep({ seen: { source, claims }, held }: SourceView): SourceStep {
  const finalizer = source?.kind === 'PersistentVolumeClaim' ? CLONE_SOURCE_FINALIZER : SNAPSHOT_SOURCE_FINALIZER
  if (source && !hasFinalizer(source, finalizer)) return { kind: 'wait', reason: REASONS.SourceNotHeld }
  const pending = claims.find(isWithoutVolume)
  if (pending) return { kind: 'wait', reason: REASONS.SourceInUseBy(refOf(pending)) }
  if (held?.isInUse) return { kind: 'wait', reason: REASONS.SourceInUse }
  if (!source) return { kind: 'read-snapshot' }
  if (held && held.keptForMs > 0 && source.metadata.deletionTimestamp === undefined)
    return { kind: 'keep', reason: REASONS.SourceUnused, forMs: held.keptForMs }
  const finalizers = (source.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  return { kind: 'release', object: { ...source, metadata: { ...source.metadata, finalizers } } }
}

/** A lost or bound claim no longer needs its source. */
export const isWithoutVolume = ({ status }: PersistentVolumeClaim): boolean =>
  (status?.phase ?? 'Pending') === 'Pending'

/** The source of a claim, as a key for an index: `VolumeSnapshot/shop/s`. Undefined if the volume starts empty. */
export function findSourceKey({ metadata, spec }: PersistentVolumeClaim): string | undefined {
  const { dataSource, dataSourceRef } = spec
  const source = dataSource ?? dataSourceRef
  const namespace = (dataSource ? undefined : dataSourceRef?.namespace) || metadata.namespace
  return source && `${source.kind}/${namespace ?? ''}/${source.name}`
}

/** The same for the source itself. */
export const sourceKeyOf = ({ kind, metadata: { namespace = '', name = '' } }: Source): string =>
  `${kind}/${namespace}/${name}`

/** Back from a key. Undefined for a kind that we do not copy from. */
export function parseSourceKey(
  key: string,
): { readonly kind: Source['kind']; readonly namespace: string; readonly name: string } | undefined {
  const [kind, namespace = '', name = ''] = key.split('/')
  return kind === 'PersistentVolumeClaim' || kind === 'VolumeSnapshot' ? { kind, namespace, name } : undefined
}
