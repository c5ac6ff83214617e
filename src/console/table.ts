import type { KubeObject } from '../api/object.ts'
import type { Caches, KindName } from './caches.ts'
import type { Row, TableInfo } from './protocol.ts'

/** A list of the console. */
export type Table = TableInfo & {
  /** The kinds that the rows are made of, and the keys of the rows that an object of that kind concerns. */
  readonly keysOf: Partial<Readonly<Record<KindName, (object: KubeObject, caches: Caches) => readonly string[]>>>
  /** The row of that key; undefined if there is none. */
  row(key: string, caches: Caches): Row | undefined
}

/** `keysOf` for a kind whose type is known. */
export const keysOf =
  <T extends KubeObject>(keys: (object: T, caches: Caches) => readonly string[]) =>
  (object: KubeObject, caches: Caches): readonly string[] =>
    // The table lists the function under the kind of T.
    keys(object as T, caches)
