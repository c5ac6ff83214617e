import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Place } from '../../api/node-selector.ts'
import { capacityOf, sizeRank } from '../../storage/requested-size.ts'
import { createVolumeStock, shelfOf } from '../../storage/volume-stock.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'
import { anchorsOf, createAnchoredShelves } from './anchored-shelves.ts'

/** Volumes that claims can still get, by the nodes from which they are accessible. */
export function createVolumeShelves() {
  const reserved = createVolumeStock()
  const free = createAnchoredShelves<PersistentVolume, VolumeStock>(createVolumeStock)
  return {
    put: (volume: PersistentVolume): void => {
      if (volume.spec.claimRef) reserved.put(volume)
      else free.put(keyOf(volume), volume, shelfOf(volume), anchorsOf(volume.spec.nodeAffinity?.required))
    },
    remove: (name: string): void => {
      reserved.remove(name)
      free.remove(name)
    },
    reservedFor: reserved.reservedFor,
    /** Whether there is any free volume on the shelf, see `shelfOf`. */
    hasFree: free.has,
    /** Free volumes that may be accessible from the node: the node affinity of each decides. */
    freeAt: (shelf: string, { labels }: Place): VolumeStock[] => free.at(shelf, labels),
  }
}

/** In the order of a stock: the fewest access modes, then the smallest, then by name. */
export function isBetter(one: PersistentVolume, other: PersistentVolume): boolean {
  const [left, right] = [orderOf(one), orderOf(other)]
  const at = left.findIndex((value, index) => value !== right[index])
  return at >= 0 && (left[at] ?? '') < (right[at] ?? '')
}

function orderOf(volume: PersistentVolume): readonly (number | string | bigint)[] {
  const modes = [...new Set(volume.spec.accessModes)].sort()
  return [modes.length, modes.join(), sizeRank(capacityOf(volume)), keyOf(volume)]
}
