import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { REASONS } from './reasons.ts'
import type { AttacherReason } from './reasons.ts'

export type ReleaseView = {
  readonly seen: {
    readonly volume: PersistentVolume
    /** The attachments of the volume, of any attacher. */
    readonly attachments: readonly VolumeAttachment[]
  }
  readonly held?: {
    /** How much longer the finalizer is kept; undefined if the volume was not seen attached. */
    readonly keptForMs?: number
  }
}

export type ReleaseStep =
  | { readonly kind: 'wait'; readonly reason: AttacherReason; readonly retryInMs?: number }
  /** Remove our finalizer from the volume. */
  | { readonly kind: 'release' }

/** Whether our finalizer may be removed from a volume. */
export function nextReleaseStep({ seen: { volume, attachments }, held }: ReleaseView, finalizer: string): ReleaseStep {
  if (!hasFinalizer(volume, finalizer)) return { kind: 'wait', reason: REASONS.NotHeld }
  const [user] = attachments
  if (user) return { kind: 'wait', reason: REASONS.VolumeInUse(user.metadata.name ?? '') }
  if (volume.metadata.deletionTimestamp) return { kind: 'release' }
  const keptForMs = held?.keptForMs
  // Created with our finalizer and never attached: this saves a write on the first attach.
  if (keptForMs === undefined) return { kind: 'wait', reason: REASONS.KeptForNextAttach }
  return keptForMs > 0 ? { kind: 'wait', reason: REASONS.KeptForNextAttach, retryInMs: keptForMs } : { kind: 'release' }
}
