import type { NodeSelector } from '../../api/kinds/selectors.ts'
import type { Labels } from '../../api/label-requirement.ts'
import { getOrAdd } from '../../base/get-or-add.ts'

/** Labels of which a node needs at least one. */
export type Anchors = readonly { readonly key: string; readonly value: string }[]

/** Labels of which a node needs at least one to be selected. Undefined if the selector may match without any of them. */
export function anchorsOf(selector: NodeSelector | undefined): Anchors | undefined {
  if (!selector) return undefined
  const anchors = new Map<string, Anchors[number]>()
  for (const { matchExpressions = [] } of selector.nodeSelectorTerms) {
    const listed = matchExpressions.find(({ operator }) => operator === 'In')
    if (!listed?.values) return undefined
    for (const value of listed.values) anchors.set(`${listed.key}=${value}`, { key: listed.key, value })
  }
  return [...anchors.values()]
}

type Bucket<T> = { put(item: T): void; remove(key: string): void }

// For items that can apply to every node. No label has an empty name.
const EVERYWHERE: Anchors = [{ key: '', value: '' }]

/**
 * Items by shelf and by the nodes that they can apply to, so that not each of thousands of items is tried on each of thousands of nodes. The items of
 * one shelf and one label are in a bucket.
 */
export function createAnchoredShelves<T, B extends Bucket<T>>(createBucket: () => B) {
  type Values = Map<string, { readonly bucket: B; members: number }>
  // By shelf, by the name of the label, by its value.
  const shelves = new Map<string, Map<string, Values>>()
  const known = new Map<string, { readonly shelf: string; readonly anchors: Anchors }>()

  /** The key must not exist yet. */
  const put = (key: string, item: T, shelf: string, anchors = EVERYWHERE): void => {
    known.set(key, { shelf, anchors })
    const labels = getOrAdd(shelves, shelf, () => new Map<string, Values>())
    for (const anchor of anchors) {
      const values = getOrAdd(labels, anchor.key, (): Values => new Map())
      const counted = getOrAdd(values, anchor.value, () => ({ bucket: createBucket(), members: 0 }))
      counted.bucket.put(item)
      counted.members++
    }
  }
  const remove = (itemKey: string): void => {
    const { shelf = '', anchors = [] } = known.get(itemKey) ?? {}
    known.delete(itemKey)
    const labels = shelves.get(shelf)
    for (const { key, value } of anchors) {
      const values = labels?.get(key)
      const counted = values?.get(value)
      counted?.bucket.remove(itemKey)
      if (counted && --counted.members === 0) values?.delete(value)
      if (values?.size === 0) labels?.delete(key)
    }
    if (labels?.size === 0) shelves.delete(shelf)
  }
  /** Buckets whose items can apply to a node with these labels; not every item does. */
  const at = (shelf: string, labels: Labels): B[] => {
    const found: B[] = []
    for (const [key, values] of shelves.get(shelf) ?? []) {
      const value = key === '' ? '' : Object.hasOwn(labels, key) ? labels[key] : undefined
      const counted = value === undefined ? undefined : values.get(value)
      if (counted) found.push(counted.bucket)
    }
    return found
  }
  return { put, remove, at, has: (shelf: string): boolean => shelves.has(shelf) }
}
