import type { NodeSelector, NodeSelectorTerm } from '../../api/kinds/selectors.ts'
import type { Labels } from '../../api/label-requirement.ts'
import { getOrAdd } from '../../base/get-or-add.ts'

/** A label that a node must have. */
export type Anchor = { readonly key: string; readonly value: string }

/** The nodes that something can concern: those with one of these labels, or all. */
export type Anchors = readonly Anchor[] | 'everywhere'

/** Labels of which a node needs at least one to be selected. */
export function anchorsOf(selector: NodeSelector | undefined): Anchors {
  if (!selector) return 'everywhere'
  const anchors: Anchor[] = []
  for (const term of selector.nodeSelectorTerms) {
    const ofTerm = anchorsOfTerm(term)
    if (!ofTerm) return 'everywhere'
    anchors.push(...ofTerm)
  }
  return [...new Map(anchors.map((anchor) => [`${anchor.key}=${anchor.value}`, anchor])).values()]
}

function anchorsOfTerm({ matchExpressions = [] }: NodeSelectorTerm): Anchor[] | undefined {
  const listed = matchExpressions.find(({ operator }) => operator === 'In')
  return listed?.values?.map((value) => ({ key: listed.key, value }))
}

type Bucket<T> = { put(item: T): void; remove(key: string): void }

/**
 * Items by shelf and by the nodes that they can concern, so that not each of thousands of items is tried on each of thousands of nodes. The
 * items of one shelf and one label are in a bucket.
 */
export function createAnchoredShelves<T, B extends Bucket<T>>(createBucket: () => B) {
  type Shelves = Map<string, { readonly bucket: B; members: number }>
  const everywhere: Shelves = new Map()
  const byLabel = new Map<string, Map<string, Shelves>>()
  const known = new Map<string, { readonly shelf: string; readonly anchors: Anchors }>()
  const counts = new Map<string, number>()

  const groupsOf = (anchors: Anchors): Shelves[] =>
    anchors === 'everywhere'
      ? [everywhere]
      : anchors.map(({ key, value }) =>
          getOrAdd(
            getOrAdd(byLabel, key, () => new Map<string, Shelves>()),
            value,
            () => new Map() as Shelves,
          ),
        )
  const count = (shelf: string, by: number): void => {
    const counted = (counts.get(shelf) ?? 0) + by
    if (counted === 0) counts.delete(shelf)
    else counts.set(shelf, counted)
  }
  /** Replaces the item of that key. */
  const put = (key: string, shelf: string, anchors: Anchors, item: T): void => {
    remove(key)
    known.set(key, { shelf, anchors })
    count(shelf, 1)
    for (const shelves of groupsOf(anchors)) {
      const counted = getOrAdd(shelves, shelf, () => ({ bucket: createBucket(), members: 0 }))
      counted.bucket.put(item)
      counted.members++
    }
  }
  const remove = (itemKey: string): void => {
    const place = known.get(itemKey)
    if (!place) return
    known.delete(itemKey)
    count(place.shelf, -1)
    for (const shelves of groupsOf(place.anchors)) {
      const counted = shelves.get(place.shelf)
      counted?.bucket.remove(itemKey)
      if (counted && --counted.members === 0) shelves.delete(place.shelf)
    }
    for (const { key, value } of place.anchors === 'everywhere' ? [] : place.anchors) {
      const values = byLabel.get(key)
      if (values?.get(value)?.size === 0) values.delete(value)
      if (values?.size === 0) byLabel.delete(key)
    }
  }
  /** Buckets whose items can concern a node with these labels; not every item does. */
  const at = (shelf: string, labels: Labels): B[] => {
    const found: B[] = []
    const add = (shelves: Shelves | undefined): void => {
      const counted = shelves?.get(shelf)
      if (counted) found.push(counted.bucket)
    }
    add(everywhere)
    for (const [key, values] of byLabel) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined
      if (value !== undefined) add(values.get(value))
    }
    return found
  }
  return { put, remove, at, has: (shelf: string): boolean => counts.has(shelf) }
}
