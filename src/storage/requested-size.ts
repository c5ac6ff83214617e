import { compareQuantities, QuantityError, quantityToBytes } from '../api/quantity.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { Quantity } from '../api/kinds/resources.ts'

/** What a claim requests; zero if it requests nothing. */
export const requestedSizeOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  spec.resources?.requests?.['storage'] ?? '0'

export const capacityOf = ({ spec }: PersistentVolume): Quantity => spec.capacity?.['storage'] ?? '0'

export const isLargeEnough = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantities(capacityOf(volume), requestedSizeOf(claim)) >= 0

const MORE_THAN_ALL = 2n ** 63n

/** For sorting: whole bytes, and one number for everything above 63 bits. */
export function sizeRank(size: Quantity): bigint {
  try {
    return quantityToBytes(size)
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return MORE_THAN_ALL
  }
}
