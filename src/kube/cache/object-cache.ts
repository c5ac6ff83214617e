import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { isNewerVersion } from '../../api/resource-version.ts'
import { Groups } from '../../base/groups.ts'

/** The change of one object. */
export type CacheChange<T> = { readonly key: string; readonly before: T | undefined; readonly after: T | undefined }

/** The values under which an object is indexed. Must not throw, and must return the same values for the same object. */
export type IndexFunction<T> = (object: T) => readonly string[]

/** Objects by key and by any number of indexes. */
export interface ObjectCache<T> {
  get(key: string): T | undefined
  all(): IterableIterator<T>
  size(): number
  /** Objects with the value in the named index. */
  byIndex(index: string, value: string): readonly T[]
  /** A new index covers existing objects, and replaces one with the same name. */
  addIndex(index: string, values: IndexFunction<T>): void
  /** Finds objects by a value that the function returns for them. Callers that pass the same function share one index. */
  indexBy(values: IndexFunction<T>): (value: string) => readonly T[]
}

export type WritableCache<T> = ObjectCache<T> & {
  /** Undefined if nothing changed: the same version again, or an older one. */
  put(object: T): CacheChange<T> | undefined
  /** Undefined if the object is not there, or was created or changed after this version. */
  remove(object: T): CacheChange<T> | undefined
  /** Replaces all objects, regardless of their versions. Returns only the differences. */
  replace(objects: Iterable<T>): CacheChange<T>[]
}

type Index<T> = { readonly values: IndexFunction<T>; readonly keys: Groups<string> }

export function createObjectCache<T extends KubeObject>(): WritableCache<T> {
  const objects = new Map<string, T>()
  const indexes = new Map<string | IndexFunction<T>, Index<T>>()

  const store = (key: string, before: T | undefined, after: T | undefined): CacheChange<T> => {
    for (const { values, keys } of indexes.values()) {
      for (const value of before ? values(before) : []) keys.delete(value, key)
      for (const value of after ? values(after) : []) keys.add(value, key)
    }
    if (after) objects.set(key, after)
    else objects.delete(key)
    return { key, before, after }
  }

  const put = (object: T): CacheChange<T> | undefined => {
    const key = keyOf(object)
    const before = objects.get(key)
    return before && !isNewerVersion(object, before) ? undefined : store(key, before, object)
  }
  const remove = (object: T): CacheChange<T> | undefined => {
    const key = keyOf(object)
    const before = objects.get(key)
    return before && !isNewerVersion(before, object) ? store(key, before, undefined) : undefined
  }
  const replace = (next: Iterable<T>): CacheChange<T>[] => {
    const changes: CacheChange<T>[] = []
    const gone = new Set(objects.keys())
    for (const object of next) {
      const key = keyOf(object)
      gone.delete(key)
      const before = objects.get(key)
      if (!before || !isSameVersion(before, object)) changes.push(store(key, before, object))
    }
    for (const key of gone) changes.push(store(key, objects.get(key), undefined))
    return changes
  }
  const addIndex = (name: string | IndexFunction<T>, values: IndexFunction<T>): void => {
    const keys = new Groups<string>()
    indexes.set(name, { values, keys })
    for (const [key, object] of objects) for (const value of values(object)) keys.add(value, key)
  }
  const indexBy = (values: IndexFunction<T>): ((value: string) => T[]) => {
    if (!indexes.has(values)) addIndex(values, values)
    return (value) => byIndex(values, value)
  }
  const byIndex = (name: string | IndexFunction<T>, value: string): T[] => {
    const found = indexes.get(name)
    if (!found) throw new Error(`there is no index ${String(name)}`)
    return Array.from(found.keys.get(value), (key) => objects.get(key)).filter((object) => object !== undefined)
  }
  return {
    get: (key) => objects.get(key),
    all: () => objects.values(),
    size: () => objects.size,
    byIndex,
    addIndex,
    indexBy,
    put,
    remove,
    replace,
  }
}

const isSameVersion = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.uid === b.uid && a.resourceVersion === b.resourceVersion
