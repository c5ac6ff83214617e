import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { keyOf } from '../../../api/object-key.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Informer } from '../../../kube/informer.ts'
import { createOwnWrites } from '../../../kube/own-writes.ts'
import { pairKeyOfObject } from './capacity-pair.ts'

type Cache = Omit<Informer<CSIStorageCapacity>, 'stop'>

/** Our objects by the pair that they tell of, with our own writes in it before the server has told of them. */
export interface PublishedObjects {
  of(pairKey: string): readonly CSIStorageCapacity[]
  created(object: CSIStorageCapacity): void
  updated(object: CSIStorageCapacity): void
  /** It is gone, or as good as gone. */
  deleted(object: CSIStorageCapacity): void
  stop(): void
}

const BY_PAIR = 'capacity/pair'
// What the cache does not show by then was deleted before it could.
const BELIEVED_MS = 60_000

export function createPublishedObjects(cache: Cache, clock: Clock): PublishedObjects {
  cache.addIndex(BY_PAIR, (object) => [pairKeyOfObject(object)])
  const writes = createOwnWrites(cache)
  const fresh = new Map<string, { readonly object: CSIStorageCapacity; readonly sinceMs: number }>()
  const gone = new Set<string>()
  const uidOf = ({ metadata: { uid = '' } }: CSIStorageCapacity): string => uid

  const unwatch = cache.onChange(({ before, after }) => {
    if (after) fresh.delete(pairKeyOfObject(after))
    else if (before) gone.delete(uidOf(before))
  })
  const findFresh = (pairKey: string): CSIStorageCapacity[] => {
    const found = fresh.get(pairKey)
    if (!found) return []
    if (clock.monotonicMs() - found.sinceMs < BELIEVED_MS) return [found.object]
    fresh.delete(pairKey)
    return []
  }
  return {
    of: (pairKey) => {
      const seen = cache.byIndex(BY_PAIR, pairKey).map((object) => writes.get(keyOf(object)) ?? object)
      return [...seen, ...findFresh(pairKey)].filter((object) => !gone.has(uidOf(object)))
    },
    created: (object) => {
      if (!cache.get(keyOf(object))) fresh.set(pairKeyOfObject(object), { object, sinceMs: clock.monotonicMs() })
    },
    updated: (object) => {
      const key = pairKeyOfObject(object)
      const young = fresh.get(key)
      if (young && uidOf(young.object) === uidOf(object)) fresh.set(key, { ...young, object })
      else writes.remember(object)
    },
    deleted: (object) => {
      const young = fresh.get(pairKeyOfObject(object))
      if (young && uidOf(young.object) === uidOf(object)) fresh.delete(pairKeyOfObject(object))
      // Once the cache has let it go nothing would take it out of here again.
      if (cache.get(keyOf(object))) gone.add(uidOf(object))
    },
    stop: () => {
      unwatch()
      writes.stop()
    },
  }
}
