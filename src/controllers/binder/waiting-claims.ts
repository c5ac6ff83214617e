import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { SelectorError } from '../../api/selector-error.ts'
import { isCandidate } from '../../storage/find-best-volume.ts'
import { capacityOf, requestedSizeOf, sizeRank } from '../../storage/requested-size.ts'
import { createSortedGroup } from '../../storage/sorted-group.ts'
import type { SortedGroup } from '../../storage/sorted-group.ts'
import { shelfOf } from '../../storage/volume-stock.ts'

/** Claims without a volume, as volumes ask for them. */
export interface WaitingClaims {
  /** Takes the place of what was known about the claim. */
  put(claim: PersistentVolumeClaim): void
  remove(key: string): void
  /** The one that makes the best use of the volume: the largest that it can hold. */
  findFor(volume: PersistentVolume): PersistentVolumeClaim | undefined
}

export function createWaitingClaims(): WaitingClaims {
  const shelves = new Map<string, SortedGroup<PersistentVolumeClaim>>()
  const places = new Map<string, { readonly shelf: string; readonly rank: bigint }>()
  const remove = (key: string): void => {
    const place = places.get(key)
    if (!place) return
    places.delete(key)
    const group = shelves.get(place.shelf)
    group?.remove(place.rank, key)
    if (group?.size() === 0) shelves.delete(place.shelf)
  }
  const put = (claim: PersistentVolumeClaim): void => {
    const key = keyOf(claim)
    remove(key)
    const place = { shelf: shelfOf(claim), rank: sizeRank(requestedSizeOf(claim)) }
    const group = shelves.get(place.shelf) ?? createSortedGroup<PersistentVolumeClaim>()
    shelves.set(place.shelf, group)
    places.set(key, place)
    group.add(place.rank, key, claim)
  }
  const findFor = (volume: PersistentVolume): PersistentVolumeClaim | undefined => {
    for (const claim of shelves.get(shelfOf(volume))?.downFrom(sizeRank(capacityOf(volume))) ?? []) {
      if (wouldTake(claim, volume)) return claim
    }
    return undefined
  }
  return { put, remove, findFor }
}

// A claim whose selector makes no sense must not keep others from their volume.
function wouldTake(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  try {
    return isCandidate(claim, volume)
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}
