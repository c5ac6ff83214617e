import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import type { SecretRead } from '../../storage/read-secret.ts'
import { readExpandView } from './expand-view.ts'
import type { CallMemory } from './expand-view.ts'

/** Everything known about the attributes of one claim's volume. */
export type ModifyView = {
  readonly seen: {
    readonly claim: PersistentVolumeClaim
    readonly volume?: PersistentVolume
    /** The class that the claim requests. */
    readonly wanted?: VolumeAttributesClass
    /** The class of a modification that has begun. */
    readonly begun?: VolumeAttributesClass
  }
  /** Undefined if called from outside. */
  readonly held?: ModifyHeld
}

export type ModifyHeld = {
  readonly nowMs: number
  /** Of this pass. Undefined until it was read. */
  readonly secret?: SecretRead
  readonly memory?: ModifyMemory
}

export type ModifyMemory = CallMemory<object>

/** The claim with its volume and classes, if they concern this driver. */
export function readModifyView(
  claim: PersistentVolumeClaim | undefined,
  findVolume: (name: string) => PersistentVolume | undefined,
  findClass: (name: string) => VolumeAttributesClass | undefined,
  driver: string,
): ModifyView['seen'] | undefined {
  const seen = readExpandView(claim, findVolume, driver)
  if (!seen) return undefined
  const wanted = findClass(seen.claim.spec.volumeAttributesClassName ?? '')
  const begun = findClass(seen.claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? '')
  return { ...seen, ...(wanted ? { wanted } : {}), ...(begun ? { begun } : {}) }
}
