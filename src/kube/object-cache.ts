import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'

/** What became of one object. */
export type CacheChange<T> = { readonly key: string; readonly before: T | undefined; readonly after: T | undefined }

/** Gives the values under which an object is found in an index. */
export type IndexFunction<T> = (object: T) => readonly string[]

/** Objects by key and by any number of indexes. */
export interface ObjectCache<T> {
  get(key: string): T | undefined
  all(): IterableIterator<T>
  size(): number
  /** Objects that the named index has under the value. */
  byIndex(index: string, value: string): readonly T[]
  /** A new index covers what is there already. */
  addIndex(index: string, values: IndexFunction<T>): void
}

export type WritableCache<T> = ObjectCache<T> & {
  /** Undefined when nothing changed: the same version again, or one that is older than what is there. */
  put(object: T): CacheChange<T> | undefined
  remove(key: string): CacheChange<T> | undefined
  /** Makes the cache hold exactly these: only what differs is reported. */
  replace(objects: Iterable<T>): CacheChange<T>[]
}

type Index<T> = { values: IndexFunction<T>; keys: Map<string, Set<string>> }

export function createObjectCache<T extends KubeObject>(): WritableCache<T> {
  const objects = new Map<string, T>()
  const indexes = new Map<string, Index<T>>()

  const unindex = (key: string, object: T, { values, keys }: Index<T>): void => {
    for (const value of values(object)) {
      const members = keys.get(value)
      if (members?.delete(key) && members.size === 0) keys.delete(value)
    }
  }
  const index = (key: string, object: T, { values, keys }: Index<T>): void => {
    for (const value of values(object)) {
      const members = keys.get(value)
      if (members) members.add(key)
      else keys.set(value, new Set([key]))
    }
  }
  const store = (key: string, before: T | undefined, after: T | undefined): CacheChange<T> => {
    for (const each of indexes.values()) {
      if (before) unindex(key, before, each)
      if (after) index(key, after, each)
    }
    if (after) objects.set(key, after)
    else objects.delete(key)
    return { key, before, after }
  }

  const put = (object: T): CacheChange<T> | undefined => {
    const key = keyOf(object)
    const before = objects.get(key)
    return before && !isNewer(object, before) ? undefined : store(key, before, object)
  }
  const remove = (key: string): CacheChange<T> | undefined => {
    const before = objects.get(key)
    return before && store(key, before, undefined)
  }
  const replace = (next: Iterable<T>): CacheChange<T>[] => {
    const changes: CacheChange<T>[] = []
    const gone = new Set(objects.keys())
    for (const object of next) {
      const key = keyOf(object)
      gone.delete(key)
      const before = objects.get(key)
      if (!before || versionOf(before) !== versionOf(object)) changes.push(store(key, before, object))
    }
    for (const key of gone) changes.push(store(key, objects.get(key), undefined))
    return changes
  }
  const addIndex = (name: string, values: IndexFunction<T>): void => {
    const added: Index<T> = { values, keys: new Map() }
    indexes.set(name, added)
    for (const [key, object] of objects) index(key, object, added)
  }
  const byIndex = (name: string, value: string): T[] => {
    const found = indexes.get(name)
    if (!found) throw new Error(`there is no index ${name}`)
    return Array.from(found.keys.get(value) ?? [], (key) => objects.get(key)).filter((object) => object !== undefined)
  }
  return { get: (key) => objects.get(key), all: () => objects.values(), size: () => objects.size, byIndex, addIndex, put, remove, replace }
}

const versionOf = ({ metadata }: KubeObject): string => `${metadata.uid} ${metadata.resourceVersion}`

// Versions of one object can be compared as numbers; another uid is another object.
function isNewer(object: KubeObject, than: KubeObject): boolean {
  if (object.metadata.uid !== than.metadata.uid) return true
  return BigInt(object.metadata.resourceVersion || '0') > BigInt(than.metadata.resourceVersion || '0')
}
