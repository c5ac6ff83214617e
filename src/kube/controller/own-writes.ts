import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { isNewerVersion } from '../../api/resource-version.ts'
import type { Informer } from '../cache/informer.ts'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'get' | 'onChange'>

/** A cache that includes our own writes before the watch shows them, so that the next decision is based on the last step. */
export interface OwnWrites<T> {
  get(key: string): T | undefined
  /** The newest state of objects that the cache has. */
  newestOf(seen: readonly T[]): readonly T[]
  /** Remembers the response to a write. Returns whether it is newer than the known state. */
  remember(object: T): boolean
  stop(): void
}

export function createOwnWrites<T extends KubeObject>(cache: Cache<T>): OwnWrites<T> {
  const written = new Map<string, T>()
  const newest = (key: string): T | undefined => {
    const seen = cache.get(key)
    const own = written.get(key)
    return seen && own && supersedes(own, seen) ? own : seen
  }
  const newestOf = (all: readonly T[]): readonly T[] =>
    written.size === 0
      ? all
      : all.map((seen) => {
          const own = written.get(keyOf(seen))
          return own && own.metadata.uid === seen.metadata.uid && supersedes(own, seen) ? own : seen
        })
  const stop = cache.onChange(({ key, after }) => {
    const own = written.get(key)
    if (own && !(after && supersedes(own, after))) written.delete(key)
  })
  const remember = (object: T): boolean => {
    const key = keyOf(object)
    const present = newest(key)
    // If the object is no longer in the cache, it was deleted after the write, even if the response arrives later.
    if (!present || !supersedes(object, present)) return false
    written.set(key, object)
    return true
  }
  return { get: newest, newestOf, remember, stop }
}

// A write that removes the last finalizer returns the deleted object with its previous version.
function supersedes(own: KubeObject, seen: KubeObject): boolean {
  return isNewerVersion(own, seen) || (hasGone(own) && !isNewerVersion(seen, own))
}

function hasGone({
  metadata: { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] },
}: KubeObject): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0
}
