import { hasFinalizer } from '../../api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { VAC_PROTECTION } from '../../storage/names.ts'
import { REASONS } from './reasons.ts'
import type { ProtectionReason } from './reasons.ts'

/** `volume` and `claim` are one of those that name the class. */
export type ClassProtectionView = {
  readonly seen: {
    readonly attributesClass: VolumeAttributesClass
    readonly volume?: PersistentVolume | undefined
    readonly claim?: PersistentVolumeClaim | undefined
  }
}

export type ClassProtectionStep =
  | { readonly kind: 'wait'; readonly reason: ProtectionReason }
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'remove-finalizer' }

/** What to do next about the protection of one VolumeAttributesClass. */
export function nextClassProtectionStep({ seen }: ClassProtectionView): ClassProtectionStep {
  const { attributesClass, volume, claim } = seen
  const isHeld = hasFinalizer(attributesClass, VAC_PROTECTION)
  if (attributesClass.metadata.deletionTimestamp === undefined)
    return isHeld ? { kind: 'wait', reason: REASONS.protected } : { kind: 'add-finalizer' }
  if (!isHeld) return { kind: 'wait', reason: REASONS.notHeld }
  if (volume) return { kind: 'wait', reason: REASONS.usedByVolume(volume) }
  return claim ? { kind: 'wait', reason: REASONS.usedByClaim(claim) } : { kind: 'remove-finalizer' }
}

/** The classes that a claim has, is being changed to, or asks for. */
export const attributesClassesOfClaim = ({ spec, status }: PersistentVolumeClaim): string[] =>
  withoutEmpty([
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ])

export const attributesClassesOfVolume = ({ spec }: PersistentVolume): string[] =>
  withoutEmpty([spec.volumeAttributesClassName])

const withoutEmpty = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.flatMap((name) => (name ? [name] : []))),
]
