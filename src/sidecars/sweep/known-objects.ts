import type { KubeObject } from '../../api/object.ts'

export const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
export const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

/** Each key that several of the objects have. */
export function sharedBy<T>(
  objects: readonly T[],
  keyOf: (object: T) => string,
): { readonly key: string; readonly objects: readonly T[] }[] {
  const groups = Map.groupBy(objects, keyOf)
  return [...groups]
    .filter(([key, group]) => key !== '' && group.length > 1)
    .map(([key, group]) => ({ key, objects: group }))
}

/** Whether there is no object of this name, or another one that was created later. */
export const isMissing = (present: ReadonlyMap<string, KubeObject>, key: string, uid: string | undefined): boolean => {
  const found = present.get(key)
  return !found || (uid !== undefined && uid !== '' && found.metadata.uid !== uid)
}
