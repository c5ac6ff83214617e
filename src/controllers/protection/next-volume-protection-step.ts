import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PV_PROTECTION } from '../../storage/names.ts'
import { REASONS } from './reasons.ts'
import type { ProtectionReason } from './reasons.ts'

export type VolumeProtectionView = { readonly seen: { readonly volume: PersistentVolume } }

export type VolumeProtectionStep =
  | { readonly kind: 'wait'; readonly reason: ProtectionReason }
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'remove-finalizer' }

/** What to do next about the protection of one volume. */
export function nextVolumeProtectionStep({ seen: { volume } }: VolumeProtectionView): VolumeProtectionStep {
  const isHeld = hasFinalizer(volume, PV_PROTECTION)
  if (volume.metadata.deletionTimestamp === undefined)
    return isHeld ? { kind: 'wait', reason: REASONS.protected } : { kind: 'add-finalizer' }
  if (!isHeld) return { kind: 'wait', reason: REASONS.notHeld }
  return volume.status?.phase === 'Bound'
    ? { kind: 'wait', reason: REASONS.volumeBound(volume.spec.claimRef ?? {}) }
    : { kind: 'remove-finalizer' }
}
