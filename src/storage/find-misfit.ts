import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import { classNameOf } from './names.ts'
import { capacityOf, isLargeEnough, requestedSizeOf } from './requested-size.ts'

/** Why a claim cannot have the volume that it names: what the claim wants, and what the volume has. */
export type Misfit = {
  readonly what: 'size' | 'storageClass' | 'volumeAttributesClass' | 'volumeMode' | 'accessModes' | 'deletion'
  readonly wanted: string
  readonly found: string
}

/** Undefined if they fit. Labels are not compared, because the volume was chosen by name; `ignoresClass` is for a volume that refers to the claim. */
export function findMisfit(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { ignoresClass = false } = {},
): Misfit | undefined {
  const [wanted, found] = [describe(claim), describe(volume)]
  if (volume.metadata.deletionTimestamp !== undefined)
    return { what: 'deletion', wanted: 'a volume', found: 'a deletion timestamp' }
  if (!isLargeEnough(volume, claim)) return { what: 'size', wanted: requestedSizeOf(claim), found: capacityOf(volume) }
  for (const what of ['storageClass', 'volumeAttributesClass', 'volumeMode'] as const) {
    if (wanted[what] !== found[what] && !(what === 'storageClass' && ignoresClass))
      return { what, wanted: wanted[what], found: found[what] }
  }
  const modes = volume.spec.accessModes ?? []
  const missing = (claim.spec.accessModes ?? []).filter((mode) => !modes.includes(mode))
  return missing.length === 0 ? undefined : { what: 'accessModes', wanted: missing.join(', '), found: modes.join(', ') }
}

function describe(object: PersistentVolumeClaim | PersistentVolume) {
  const { volumeMode = 'Filesystem', volumeAttributesClassName = '' } = object.spec
  return { storageClass: classNameOf(object), volumeAttributesClass: volumeAttributesClassName, volumeMode }
}
