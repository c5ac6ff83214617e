import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeSnapshot } from '../../api/kinds/volume-snapshot.ts'
import type { Reason } from '../../api/reason.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from './names.ts'

export type SourceView = {
  readonly seen: {
    readonly source: PersistentVolumeClaim | VolumeSnapshot
    /** All claims, of any namespace, that are to begin with the source: those with its `sourceKey`. */
    readonly claims: readonly PersistentVolumeClaim[]
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    /** Whether a call that needs the source is under way or in doubt, though its claim may be gone. */
    readonly isInUse: boolean
  }
}

export type SourceStep =
  | { readonly kind: 'wait'; readonly reason: Reason }
  /** Update the source, which no longer has our finalizer. What is not leaving can be let go whenever there is time. */
  | { readonly kind: 'release'; readonly object: PersistentVolumeClaim | VolumeSnapshot; readonly isUrgent: boolean }

/** When a claim or snapshot that others begin with may go: once the last of them has its volume, not the first. */
export function nextSourceStep({ seen: { source, claims }, held }: SourceView): SourceStep {
  const finalizer = source.kind === 'VolumeSnapshot' ? SNAPSHOT_SOURCE_FINALIZER : CLONE_SOURCE_FINALIZER
  if (!hasFinalizer(source, finalizer)) return { kind: 'wait', reason: { code: 'SourceNotHeld' } }
  const pending = claims.find(({ status }) => (status?.phase ?? 'Pending') === 'Pending')
  if (pending) {
    const { namespace = '', name = '' } = pending.metadata
    return { kind: 'wait', reason: { code: 'SourceInUse', waitsFor: { kind: 'object', kindName: 'PersistentVolumeClaim', namespace, name } } }
  }
  if (held?.isInUse) return { kind: 'wait', reason: { code: 'SourceInUse', waitsFor: { kind: 'actor', name: 'the driver' } } }
  const finalizers = (source.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  return { kind: 'release', object: { ...source, metadata: { ...source.metadata, finalizers } }, isUrgent: source.metadata.deletionTimestamp !== undefined }
}

/** What a claim begins with, as a key for an index: `VolumeSnapshot/shop/s`. Undefined when it begins empty. */
export function findSourceKey({ metadata, spec: { dataSource, dataSourceRef } }: PersistentVolumeClaim): string | undefined {
  const source = dataSource ?? dataSourceRef
  const namespace = (dataSource ? undefined : dataSourceRef?.namespace) || metadata.namespace
  return source && `${source.kind}/${namespace ?? ''}/${source.name}`
}

/** The same for the source itself. */
export const sourceKeyOf = ({ kind, metadata: { namespace = '', name = '' } }: PersistentVolumeClaim | VolumeSnapshot): string => `${kind}/${namespace}/${name}`
