import type { CSIStorageCapacity } from '../../api/kinds/csi-storage-capacity.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { NodeSelector, NodeSelectorTerm } from '../../api/kinds/selectors.ts'
import type { Labels } from '../../api/label-requirement.ts'
import { labelRequirementsOf, matchesLabelSelector } from '../../api/label-selector.ts'
import { compileNodeSelectorTerm } from '../../api/node-selector.ts'
import type { NodeMatcher, Place } from '../../api/node-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import { unlessInvalid } from '../../api/selector-error.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import { capacityOf, sizeRank } from '../../storage/requested-size.ts'
import { createVolumeStock, shelfOf } from '../../storage/volume-stock.ts'
import type { VolumeStock } from '../../storage/volume-stock.ts'

/** A node has to match one of the terms. An invalid term matches no node. */
export function compileNodeSelector({ nodeSelectorTerms }: NodeSelector): NodeMatcher {
  const terms = nodeSelectorTerms.flatMap((term) => compileTerm(term) ?? [])
  const [only] = terms
  if (only && terms.length === 1) return only
  return (place) => terms.some((matches) => matches(place))
}

/** Undefined for an invalid term. */
export const compileTerm = (term: NodeSelectorTerm): NodeMatcher | undefined =>
  unlessInvalid(() => compileNodeSelectorTerm(term))

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
function createAnchoredShelves<T, B extends Bucket<T>>(createBucket: () => B) {
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

/** Free storage for volumes of one class where `matches` holds. */
type Room = { readonly key: string; readonly sizeBytes: bigint; readonly matches: NodeMatcher }

class Rooms extends Map<string, Room> {
  put(room: Room): void {
    this.set(room.key, room)
  }
  remove(key: string): void {
    this.delete(key)
  }
}

/** The free storage that drivers report, by class and node. */
export function createCapacityRooms() {
  const rooms = createAnchoredShelves<Room, Rooms>(() => new Rooms())
  return {
    put: (capacity: CSIStorageCapacity): void => {
      const room = roomOf(capacity)
      if (room) rooms.put(room.key, room, capacity.storageClassName, anchorsOfCapacity(capacity))
    },
    remove: rooms.remove,
    at: (className: string, { labels }: Place): Room[] =>
      rooms.at(className, labels).flatMap((bucket) => [...bucket.values()]),
  }
}

/** Labels of which a node needs at least one to access the storage. */
function anchorsOfCapacity({ nodeTopology }: CSIStorageCapacity): Anchors | undefined {
  const { matchLabels = {}, matchExpressions = [] } = nodeTopology ?? {}
  const [exact] = Object.entries(matchLabels)
  return exact ? [{ key: exact[0], value: exact[1] }] : anchorsOf({ nodeSelectorTerms: [{ matchExpressions }] })
}

/** Undefined for a capacity that no node can access. */
function roomOf(capacity: CSIStorageCapacity): Room | undefined {
  const { nodeTopology, maximumVolumeSize: size = capacity.capacity } = capacity
  const requirements = nodeTopology && unlessInvalid(() => labelRequirementsOf(nodeTopology))
  if (!requirements || size === undefined) return undefined
  const matches: NodeMatcher = ({ labels }) => matchesLabelSelector(requirements, labels)
  return { key: keyOf(capacity), sizeBytes: sizeRank(size), matches }
}

/** Volumes that claims can still get, by the nodes from which they are accessible. */
export function createVolumeShelves() {
  const reserved = createVolumeStock()
  const free = createAnchoredShelves<PersistentVolume, VolumeStock>(createVolumeStock)
  return {
    put: (volume: PersistentVolume): void => {
      if (volume.spec.claimRef) reserved.put(volume)
      else free.put(keyOf(volume), volume, shelfOf(volume), anchorsOf(volume.spec.nodeAffinity?.required))
    },
    remove: (name: string): void => {
      reserved.remove(name)
      free.remove(name)
    },
    reservedFor: reserved.reservedFor,
    /** Whether there is any free volume on the shelf, see `shelfOf`. */
    hasFree: free.has,
    /** Free volumes that may be accessible from the node: the node affinity of each decides. */
    freeAt: (shelf: string, { labels }: Place): VolumeStock[] => free.at(shelf, labels),
  }
}

/** In the order of a stock: the fewest access modes, then the smallest, then by name. */
export function isBetter(one: PersistentVolume, other: PersistentVolume): boolean {
  const [left, right] = [orderOf(one), orderOf(other)]
  const at = left.findIndex((value, index) => value !== right[index])
  return at >= 0 && (left[at] ?? '') < (right[at] ?? '')
}

function orderOf(volume: PersistentVolume): readonly (number | string | bigint)[] {
  const modes = [...new Set(volume.spec.accessModes)].sort()
  return [modes.length, modes.join(), sizeRank(capacityOf(volume)), keyOf(volume)]
}
