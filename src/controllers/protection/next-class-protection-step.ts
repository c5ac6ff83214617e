import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { VAC_PROTECTION } from '../../storage/names.ts'
import { nextFinalizerStep } from './next-finalizer-step.ts'
import type { ProtectionStep } from './next-finalizer-step.ts'
import { REASONS } from './reasons.ts'

/** `volume` and `claim` are one of those that name the class. */
export type ClassProtectionView = {
  readonly seen: {
    readonly attributesClass: VolumeAttributesClass
    readonly volume?: PersistentVolume | undefined
    readonly claim?: PersistentVolumeClaim | undefined
  }
}

/** What to do next about the protection of one VolumeAttributesClass. */
export const nextClassProtectionStep = ({ seen }: ClassProtectionView): ProtectionStep =>
  nextFinalizerStep(seen.attributesClass, VAC_PROTECTION, () => {
    if (seen.volume) return REASONS.usedByVolume(seen.volume)
    return seen.claim && REASONS.usedByClaim(seen.claim)
  })

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
