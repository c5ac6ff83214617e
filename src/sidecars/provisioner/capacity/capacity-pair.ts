import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { getOrAdd } from '../../../base/get-or-add.ts'
import { findVolumePlaces, isPartOf, termKeyOf, termOf } from '../topology.ts'
import type { TopologyTerm } from '../topology.ts'
import type { CapacityPair } from './next-capacity-step.ts'

/** A class and a topology segment by value: two that are equal have the same key. */
export const pairKeyOf = (className: string, segmentKey: string): string => `${className} ${segmentKey}`

/** Back from a key. Names of classes have no space. */
export function parsePairKey(key: string): { className: string; segmentKey: string } {
  const space = key.indexOf(' ')
  return { className: key.slice(0, space), segmentKey: key.slice(space + 1) }
}

/** The pair that an object describes. One that selects nodes in any other way belongs to no pair: it gets a key of its own. */
export function pairKeyOfObject({ metadata, nodeTopology, storageClassName }: CSIStorageCapacity): string {
  if (!nodeTopology || (nodeTopology.matchExpressions?.length ?? 0) > 0)
    return pairKeyOf(storageClassName, `object ${metadata.name ?? ''}`)
  return pairKeyOf(storageClassName, termKeyOf(termOf(nodeTopology.matchLabels ?? {})))
}

/** The topology segments that have a node. A change of one node costs the same however many nodes there are. */
export function createSegmentMap() {
  const placed = new Map<string, string>()
  const segments = new Map<string, { readonly term: TopologyTerm; readonly nodes: Set<string> }>()
  return {
    find: (key: string): TopologyTerm | undefined => segments.get(key)?.term,
    keys: (): IteratorObject<string> => segments.keys(),
    size: (): number => segments.size,
    /** Sets the current segment of a node, if it counts. Returns the keys of the segments that were added or removed. */
    place: (nodeName: string, term: TopologyTerm | undefined): readonly string[] => {
      const before = placed.get(nodeName)
      const key = term && termKeyOf(term)
      if (before === key) return []
      placed.delete(nodeName)
      const left = before === undefined ? undefined : segments.get(before)
      left?.nodes.delete(nodeName)
      const changed = before !== undefined && left?.nodes.size === 0 && segments.delete(before) ? [before] : []
      if (!term || key === undefined) return changed
      placed.set(nodeName, key)
      if (!segments.has(key)) changed.push(key)
      getOrAdd(segments, key, () => ({ term, nodes: new Set<string>() })).nodes.add(nodeName)
      return changed
    },
  }
}

/** Every class whose capacity is published, in every topology segment. */
export function createCapacityPairs() {
  const segments = createSegmentMap()
  // With the parameters for the driver.
  const classes = new Map<string, Readonly<Record<string, string>>>()
  const keysOf = (
    classNames: Iterable<string> = classes.keys(),
    segmentKeys: Iterable<string> = segments.keys(),
  ): string[] => {
    const all = [...segmentKeys]
    return Array.from(classNames).flatMap((className) => all.map((segmentKey) => pairKeyOf(className, segmentKey)))
  }
  const keysOfClass = (name: string): string[] => (classes.has(name) ? keysOf([name]) : [])
  // The segment that equals the place, or else all that contain it or are contained in it.
  const segmentsOf = (place: TopologyTerm): string[] => {
    const key = termKeyOf(place)
    if (segments.find(key)) return [key]
    return [...segments.keys()].filter((other) => {
      const term = segments.find(other) ?? {}
      return isPartOf(place, term) || isPartOf(term, place)
    })
  }
  return {
    segments,
    classes,
    keysOf,
    keysOfClass,
    /** The pairs whose capacity a volume uses: classes usually share the capacity of a segment. */
    keysOfVolume: (volume: PersistentVolume): string[] => {
      const places = findVolumePlaces(volume)
      return places
        ? keysOf(classes.keys(), places.flatMap(segmentsOf))
        : keysOfClass(volume.spec.storageClassName ?? '')
    },
    find: (key: string): CapacityPair | undefined => {
      const { className, segmentKey } = parsePairKey(key)
      const term = segments.find(segmentKey)
      return term && classes.has(className) ? { className, term } : undefined
    },
  }
}
