import type { TopologyTerm } from '../topology-term.ts'
import { segmentKeyOf } from './capacity-pair.ts'

/** The parts of the cluster that have a node. Each costs as much as it changes, however many nodes there are. */
export interface SegmentMap {
  find(segmentKey: string): TopologyTerm | undefined
  all(): ReadonlyMap<string, TopologyTerm>
  /** Where a node is now, if it counts. Gives the keys of the segments that came or went with it. */
  place(nodeName: string, term: TopologyTerm | undefined): readonly string[]
}

export function createSegmentMap(): SegmentMap {
  const placed = new Map<string, string>()
  const nodes = new Map<string, number>()
  const terms = new Map<string, TopologyTerm>()
  const leave = (key: string): string[] => {
    const left = (nodes.get(key) ?? 0) - 1
    if (left > 0) {
      nodes.set(key, left)
      return []
    }
    nodes.delete(key)
    terms.delete(key)
    return [key]
  }
  const enter = (key: string, term: TopologyTerm): string[] => {
    const there = nodes.get(key) ?? 0
    nodes.set(key, there + 1)
    terms.set(key, term)
    return there === 0 ? [key] : []
  }
  return {
    find: (segmentKey) => terms.get(segmentKey),
    all: () => terms,
    place: (nodeName, term) => {
      const before = placed.get(nodeName)
      const key = term && segmentKeyOf(term)
      if (before === key) return []
      if (key === undefined) placed.delete(nodeName)
      else placed.set(nodeName, key)
      return [...(before === undefined ? [] : leave(before)), ...(term && key !== undefined ? enter(key, term) : [])]
    },
  }
}
