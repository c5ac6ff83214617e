import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import type { Informer } from './informer.ts'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'get' | 'onChange'>

/** A cache with our own writes in it before the server has told of them, so that the next step is decided on what the last one did. */
export interface OwnWrites<T> {
  get(key: string): T | undefined
  /** The server's answer to a write. */
  remember(object: T): void
  stop(): void
}

export function createOwnWrites<T extends KubeObject>(cache: Cache<T>): OwnWrites<T> {
  const written = new Map<string, T>()
  const newest = (key: string): T | undefined => {
    const seen = cache.get(key)
    const own = written.get(key)
    return seen && own && isNewer(own, seen) ? own : seen
  }
  const stop = cache.onChange(({ key, after }) => {
    const own = written.get(key)
    if (own && !(after && isNewer(own, after))) written.delete(key)
  })
  const remember = (object: T): void => {
    const key = keyOf(object)
    const present = newest(key)
    // Gone from the cache: that was told after the write, however late its answer comes.
    if (present && isNewer(object, present)) written.set(key, object)
  }
  return { get: newest, remember, stop }
}

// Versions are decimal numbers without leading zeros that grow over all objects of a kind, so the longer one is the larger.
function isNewer({ metadata: { resourceVersion: version = '' } }: KubeObject, { metadata: { resourceVersion: than = '' } }: KubeObject): boolean {
  return version.length === than.length ? version > than : version.length > than.length
}
