import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { keyOf } from '../../../api/object-key.ts'
import type { Clock } from '../../../base/clock.ts'
import type { FollowedKind } from '../../../kube/controller/index.ts'
import { pairKeyOfObject } from './capacity-pair.ts'

const BY_PAIR = 'capacity/pair'
// What the cache does not show by then was deleted before it could be seen.
const BELIEVED_MS = 60_000

/** Our objects by the pair that they describe, with our own writes, creations and deletions before the watch reports them. */
export function createPublishedObjects(cache: FollowedKind<CSIStorageCapacity>, clock: Clock) {
  cache.addIndex(BY_PAIR, (object) => [pairKeyOfObject(object)])
  const fresh = new Map<string, { readonly object: CSIStorageCapacity; readonly sinceMs: number }>()
  const gone = new Set<string>()
  const uidOf = ({ metadata: { uid = '' } }: CSIStorageCapacity): string => uid

  cache.onChange(({ before, after }) => {
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
    of: (pairKey: string): readonly CSIStorageCapacity[] => {
      const seen = cache.byIndex(BY_PAIR, pairKey).map((object) => cache.get(keyOf(object)) ?? object)
      return [...seen, ...findFresh(pairKey)].filter((object) => !gone.has(uidOf(object)))
    },
    created: (object: CSIStorageCapacity): void => {
      if (!cache.get(keyOf(object))) fresh.set(pairKeyOfObject(object), { object, sinceMs: clock.monotonicMs() })
    },
    updated: (object: CSIStorageCapacity): void => {
      const key = pairKeyOfObject(object)
      const young = fresh.get(key)
      if (young && uidOf(young.object) === uidOf(object)) fresh.set(key, { ...young, object })
      else cache.remember(object)
    },
    /** It is deleted, or about to be. */
    deleted: (object: CSIStorageCapacity): void => {
      const young = fresh.get(pairKeyOfObject(object))
      if (young && uidOf(young.object) === uidOf(object)) fresh.delete(pairKeyOfObject(object))
      // Once the cache has dropped it, nothing would remove it from here.
      if (cache.get(keyOf(object))) gone.add(uidOf(object))
    },
  }
}
