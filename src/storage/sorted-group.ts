import { firstPlace } from '../base/first-place.ts'

/** Values sorted by rank, and by name within a rank. */
export interface SortedGroup<T> {
  add(rank: bigint, name: string, value: T): void
  remove(rank: bigint, name: string): void
  size(): number
  /** Ascending from this rank. The group must not change during the iteration. */
  upFrom(rank: bigint): Iterable<T>
  /** Descending from this rank. The group must not change during the iteration. */
  downFrom(rank: bigint): Iterable<T>
}

type Entry<T> = { readonly rank: bigint; readonly name: string; readonly value: T }

export function createSortedGroup<T>(): SortedGroup<T> {
  const entries: Entry<T>[] = []
  // The position of the first entry that is not before this one.
  const placeOf = (rank: bigint, name: string): number =>
    firstPlace(0, entries.length, (place) => {
      const entry = entries[place]
      return entry !== undefined && isBefore(entry, rank, name)
    })
  const upFrom = function* (rank: bigint): Iterable<T> {
    for (let at = placeOf(rank, ''); at < entries.length; at++) {
      const entry = entries[at]
      if (entry) yield entry.value
    }
  }
  const downFrom = function* (rank: bigint): Iterable<T> {
    for (let at = placeOf(rank + 1n, '') - 1; at >= 0; at--) {
      const entry = entries[at]
      if (entry) yield entry.value
    }
  }
  return {
    add: (rank, name, value) => void entries.splice(placeOf(rank, name), 0, { rank, name, value }),
    remove: (rank, name) => {
      const at = placeOf(rank, name)
      if (entries[at]?.rank === rank && entries[at].name === name) entries.splice(at, 1)
    },
    size: () => entries.length,
    upFrom,
    downFrom,
  }
}

const isBefore = <T>(entry: Entry<T>, rank: bigint, name: string): boolean =>
  entry.rank === rank ? entry.name < name : entry.rank < rank
