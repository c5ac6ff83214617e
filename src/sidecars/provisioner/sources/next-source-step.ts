import { hasFinalizer } from '../../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { VolumeSnapshot } from '../../../api/kinds/volume-snapshot.ts'
import type { Reason } from '../../../api/reason.ts'
import { CLONE_SOURCE_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../names.ts'

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
    /** How much longer it is held though nobody needs it, so that many copies after each other cost no write each. */
    readonly keptForMs: number
  }
}

export type SourceStep =
  | { readonly kind: 'wait'; readonly reason: Reason }
  /** Nobody needs it now; look again then. */
  | { readonly kind: 'keep'; readonly reason: Reason; readonly forMs: number }
  /** Update the source, which no longer has our finalizer. */
  | { readonly kind: 'release'; readonly object: PersistentVolumeClaim | VolumeSnapshot }

/** When a claim or snapshot that others begin with may go: once the last of them has its volume, not the first. */
export function nextSourceStep({ seen: { source, claims }, held }: SourceView): SourceStep {
  const finalizer = source.kind === 'VolumeSnapshot' ? SNAPSHOT_SOURCE_FINALIZER : CLONE_SOURCE_FINALIZER
  if (!hasFinalizer(source, finalizer)) return { kind: 'wait', reason: { code: 'SourceNotHeld' } }
  const pending = claims.find(isWithoutVolume)
  if (pending) {
    const { namespace = '', name = '' } = pending.metadata
    return {
      kind: 'wait',
      reason: { code: 'SourceInUse', waitsFor: { kind: 'object', kindName: 'PersistentVolumeClaim', namespace, name } },
    }
  }
  if (held?.isInUse)
    return { kind: 'wait', reason: { code: 'SourceInUse', waitsFor: { kind: 'actor', name: 'the driver' } } }
  if (held && held.keptForMs > 0 && source.metadata.deletionTimestamp === undefined)
    return { kind: 'keep', reason: { code: 'SourceUnused' }, forMs: held.keptForMs }
  const finalizers = (source.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  return { kind: 'release', object: { ...source, metadata: { ...source.metadata, finalizers } } }
}

/** One that is lost or bound does not need its source any more. */
export const isWithoutVolume = ({ status }: PersistentVolumeClaim): boolean =>
  (status?.phase ?? 'Pending') === 'Pending'

/** What a claim begins with, as a key for an index: `VolumeSnapshot/shop/s`. Undefined when it begins empty. */
export function findSourceKey({
  metadata,
  spec: { dataSource, dataSourceRef },
}: PersistentVolumeClaim): string | undefined {
  const source = dataSource ?? dataSourceRef
  const namespace = (dataSource ? undefined : dataSourceRef?.namespace) || metadata.namespace
  return source && `${source.kind}/${namespace ?? ''}/${source.name}`
}

/** The same for the source itself. */
export const sourceKeyOf = ({
  kind,
  metadata: { namespace = '', name = '' },
}: PersistentVolumeClaim | VolumeSnapshot): string => `${kind}/${namespace}/${name}`

/** Back from a key. Undefined for a kind that we do not copy from. */
export function parseSourceKey(
  key: string,
):
  | { readonly kind: 'PersistentVolumeClaim' | 'VolumeSnapshot'; readonly namespace: string; readonly name: string }
  | undefined {
  const [kind, namespace = '', name = ''] = key.split('/')
  return kind === 'PersistentVolumeClaim' || kind === 'VolumeSnapshot' ? { kind, namespace, name } : undefined
}
