import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { isNewerVersion } from '../../api/resource-version.ts'
import type { Informer } from '../cache/informer.ts'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'get' | 'onChange'>

/** A cache that includes our own writes before the watch shows them, so that the next step is decided on what the last one did. */
export interface OwnWrites<T> {
  get(key: string): T | undefined
  /** The server's answer to a write. Whether it is newer than what was known. */
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
  const stop = cache.onChange(({ key, after }) => {
    const own = written.get(key)
    if (own && !(after && supersedes(own, after))) written.delete(key)
  })
  const remember = (object: T): boolean => {
    const key = keyOf(object)
    const present = newest(key)
    // Gone from the cache: that was told after the write, however late its answer comes.
    if (!present || !supersedes(object, present)) return false
    written.set(key, object)
    return true
  }
  return { get: newest, remember, stop }
}

// A write that takes the last finalizer off is answered with the object as it went, under the version that it had before.
function supersedes(own: KubeObject, seen: KubeObject): boolean {
  return isNewerVersion(own, seen) || (hasGone(own) && !isNewerVersion(seen, own))
}

function hasGone({
  metadata: { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] },
}: KubeObject): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0
}
