import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { keyOf } from '../../api/object-key.ts'
import { capacityOf, sizeRank } from '../../storage/requested-size.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'

/** Several stocks, and what is reserved for the one claim that is looked at, as one. */
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

// As a stock has them: the fewest access modes, then the smallest, then by name.
function isBetter(one: PersistentVolume, other: PersistentVolume): boolean {
  const modes = modesOf(one).length - modesOf(other).length || compare(modesOf(one).join(), modesOf(other).join())
  if (modes !== 0) return modes < 0
  const size = compare(sizeRank(capacityOf(one)), sizeRank(capacityOf(other)))
  return size === 0 ? keyOf(one) < keyOf(other) : size < 0
}

const modesOf = ({ spec }: PersistentVolume): string[] => [...new Set(spec.accessModes)].sort()
const compare = <T extends string | bigint>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0)
