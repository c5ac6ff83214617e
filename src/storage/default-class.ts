import type { StorageClass } from '../api/kinds/storage-class.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { findAnnotation } from './names.ts'

const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

export const isDefaultClass = (storageClass: StorageClass): boolean =>
  IS_DEFAULT.some((name) => findAnnotation(storageClass, name) === 'true')

/** The class of claims that name none: among several, the newest, then the first by name. */
export function findDefaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  return Array.from(classes).filter(isDefaultClass).sort(compareAge)[0]
}

function compareAge({ metadata: one }: StorageClass, { metadata: other }: StorageClass): number {
  const [left, right] = [findTimestamp(one.creationTimestamp) ?? 0, findTimestamp(other.creationTimestamp) ?? 0]
  if (left !== right) return right - left
  return (one.name ?? '') < (other.name ?? '') ? -1 : 1
}
