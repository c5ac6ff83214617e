import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { NodeSelector, TopologySelectorTerm } from '../../api/kinds/selectors.ts'
import type { Topology } from '../../csi/generated/csi/v1/csi.ts'

/** A topology: label keys with their values, in the order of the keys. */
export type TopologyTerm = Readonly<Record<string, string>>

/** Sorts the segments of a term. */
export const termOf = (segments: TopologyTerm): TopologyTerm =>
  Object.fromEntries(Object.entries(segments).toSorted(([one], [other]) => compareText(one, other)))

/** The topology of a node from these labels; undefined if it lacks one. */
export function findTermOfLabels(keys: readonly string[], labels: TopologyTerm = {}): TopologyTerm | undefined {
  const segments: Record<string, string> = {}
  for (const key of keys) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined
    if (value === undefined) return undefined
    segments[key] = value
  }
  return termOf(segments)
}

/** The terms that a class allows, each with one value per key: every combination of one value of each expression of an entry. */
export function flattenTopologies(allowed: readonly TopologySelectorTerm[]): TopologyTerm[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return []
    const ways = matchLabelExpressions.reduce<TopologyTerm[]>(
      (begun, { key, values }) => values.flatMap((value) => begun.map((term) => ({ ...term, [key]: value }))),
      [{}],
    )
    return ways.map(termOf)
  })
}

/**
 * The topology segment of a node, as the driver sees it: its labels for the driver's keys. Empty, and so the same for all nodes, for a driver without
 * keys; undefined if the node does not exist, lacks a label, or does not have the driver.
 */
export function findSegment(
  driverName: string,
  csiNode: CSINode | undefined,
  node: Node | undefined,
): TopologyTerm | undefined {
  const entry = csiNode?.spec.drivers?.find(({ name }) => name === driverName)
  return entry && node && findTermOfLabels(entry.topologyKeys ?? [], node.metadata.labels)
}

/** The terms in which a volume may be. Undefined if its node affinity is absent, or selects nodes in another way. */
export function findVolumePlaces({ spec: { nodeAffinity } }: PersistentVolume): TopologyTerm[] | undefined {
  const terms = nodeAffinity?.required?.nodeSelectorTerms ?? []
  const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions)
  if (expressions.some(({ operator }) => operator !== 'In')) return undefined
  const places = flattenTopologies(
    terms.map(({ matchExpressions = [] }) => ({
      matchLabelExpressions: matchExpressions.map(({ key, values = [] }) => ({ key, values })),
    })),
  )
  return places.length === 0 ? undefined : places
}

/**
 * The nodes that can access a volume: one term per topology, one value per key, so that no combination is allowed that the driver did not return.
 * Undefined if it returned none.
 */
export function findNodeAffinity(
  accessibleTopology: readonly Topology[],
): { readonly required: NodeSelector } | undefined {
  const terms = accessibleTopology.flatMap(({ segments }) => {
    const keys = Object.keys(segments).sort()
    const matchExpressions = keys.map((key) => ({ key, operator: 'In' as const, values: [segments[key] ?? ''] }))
    return matchExpressions.length === 0 ? [] : [{ matchExpressions }]
  })
  return terms.length === 0 ? undefined : { required: { nodeSelectorTerms: terms } }
}

/** Sorted, without duplicates. A term that a shorter one covers is kept: the driver may treat it differently. */
export const uniqueTerms = (terms: readonly TopologyTerm[]): TopologyTerm[] =>
  [...new Map(terms.map((term) => [termKeyOf(term), term])).values()].sort(compareTerms)

/** Equal terms have the same key. */
export const termKeyOf = (term: TopologyTerm): string => JSON.stringify(Object.entries(term))

/** Whether everything in `part` holds in `whole` too. */
export const isPartOf = (part: TopologyTerm, whole: TopologyTerm): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value)

/** Shorter ones first, then by key and value from the first segment on. */
function compareTerms(one: TopologyTerm, other: TopologyTerm): number {
  const [texts, others] = [Object.entries(one).flat(), Object.entries(other).flat()]
  const different = texts.findIndex((text, index) => text !== others[index])
  return texts.length - others.length || compareText(texts[different], others[different])
}

// Labels are ASCII, where this is the order of bytes.
export const compareText = (one = '', other = ''): number => (one < other ? -1 : one > other ? 1 : 0)
