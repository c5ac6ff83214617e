import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
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
    /** Free volumes that may be accessible from there: the node affinity of each decides. */
    freeAt: (shelf: string, { labels }: Place): VolumeStock[] => free.at(shelf, labels),
  }
}

/** Several stocks, and the volumes reserved for the one claim that is looked at, as one. */
export function joinStocks(
  reserved: readonly PersistentVolume[],
  stocks: readonly VolumeStock[],
): Pick<VolumeStock, 'reservedFor' | 'freeFor'> {
  const freeFor = (claim: PersistentVolumeClaim): Iterable<PersistentVolume> => {
    const offers = stocks.map((stock) => stock.freeFor(claim))
    return offers.length === 1 && offers[0] ? offers[0] : inOrder(offers)
  }
  return { reservedFor: () => reserved, freeFor }
}

function* inOrder(offers: readonly Iterable<PersistentVolume>[]): Iterable<PersistentVolume> {
  const heads = offers.map((offer) => {
    const rest = offer[Symbol.iterator]()
    return { rest, next: rest.next() }
  })
  for (;;) {
    let best: (typeof heads)[number] | undefined
    for (const head of heads) {
      if (!head.next.done && (!best || best.next.done || isBetter(head.next.value, best.next.value))) best = head
    }
    if (!best || best.next.done) return
    yield best.next.value
    best.next = best.rest.next()
  }
}

function isBetter(one: PersistentVolume, other: PersistentVolume): boolean {
  const [left, right] = [orderOf(one), orderOf(other)]
  const at = left.findIndex((value, index) => value !== right[index])
  return at >= 0 && (left[at] ?? '') < (right[at] ?? '')
}

// The order of a stock: the fewest access modes, then the smallest, then by name.
function orderOf(volume: PersistentVolume): readonly (number | string | bigint)[] {
  const modes = [...new Set(volume.spec.accessModes)].sort()
  return [modes.length, modes.join(), sizeRank(capacityOf(volume)), keyOf(volume)]
}
