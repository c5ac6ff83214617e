import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PV_PROTECTION } from '../../storage/names.ts'
import { nextFinalizerStep } from './next-finalizer-step.ts'
import type { ProtectionStep } from './next-finalizer-step.ts'
import { REASONS } from './reasons.ts'

export type VolumeProtectionView = { readonly seen: { readonly volume: PersistentVolume } }

/** What to do next about the protection of one volume. */
export const nextVolumeProtectionStep = ({ seen: { volume } }: VolumeProtectionView): ProtectionStep =>
  nextFinalizerStep(volume, PV_PROTECTION, () =>
    volume.status?.phase === 'Bound' ? REASONS.volumeBound(volume.spec.claimRef ?? {}) : undefined,
  )
