import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { createVolumeStock, shelfOf } from '../../storage/volume-stock.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'
import { createAnchoredGroups } from './anchored-groups.ts'
import { anchorsOfVolume } from './anchors-of.ts'
import type { Place } from './node-matcher.ts'

/** Volumes that claims may still get, by where they can be reached. */
export interface VolumeShelves {
  put(volume: PersistentVolume): void
  remove(volume: PersistentVolume): void
  reservedFor(claim: PersistentVolumeClaim): readonly PersistentVolume[]
  hasFree(shelf: string): boolean
  freeAt(shelf: string, place: Place): readonly VolumeStock[]
}

type CountedStock = VolumeStock & { count: number }

export function createVolumeShelves(): VolumeShelves {
  const reserved = createVolumeStock()
  const free = createAnchoredGroups(() => new Map<string, CountedStock>())
  const freeCounts = new Map<string, number>()
  const known = new Map<string, PersistentVolume>()

  const count = (shelf: string, by: number): void => {
    const counted = (freeCounts.get(shelf) ?? 0) + by
    if (counted === 0) freeCounts.delete(shelf)
    else freeCounts.set(shelf, counted)
  }
  const put = (volume: PersistentVolume): void => {
    remove(volume)
    known.set(keyOf(volume), volume)
    if (volume.spec.claimRef) return reserved.put(volume)
    const shelf = shelfOf(volume)
    count(shelf, 1)
    for (const stocks of free.enter(anchorsOfVolume(volume))) {
      const stock = stocks.get(shelf) ?? { ...createVolumeStock(), count: 0 }
      stocks.set(shelf, stock)
      stock.put(volume)
      stock.count++
    }
  }
  const remove = (volume: PersistentVolume): void => {
    const name = keyOf(volume)
    const before = known.get(name)
    if (!before) return
    known.delete(name)
    if (before.spec.claimRef) return reserved.remove(name)
    const shelf = shelfOf(before)
    count(shelf, -1)
    for (const stocks of free.leave(anchorsOfVolume(before))) {
      const stock = stocks.get(shelf)
      stock?.remove(name)
      if (stock && --stock.count === 0) stocks.delete(shelf)
    }
  }
  const freeAt = (shelf: string, { labels }: Place): VolumeStock[] =>
    free.around(labels).flatMap((stocks) => stocks.get(shelf) ?? [])
  return { put, remove, reservedFor: reserved.reservedFor, hasFree: (shelf) => freeCounts.has(shelf), freeAt }
}
