import type { TopologySelectorTerm } from '../../api/kinds/selectors.ts'
import type { Topology } from '../../csi/generated/csi/v1/csi.ts'

/** A place: label keys with their values, sorted. */
export type TopologyTerm = readonly TopologySegment[]
export type TopologySegment = { readonly key: string; readonly value: string }

type Labels = Readonly<Record<string, string>>

/** Sorts what makes up a term. */
export const termOf = (segments: readonly TopologySegment[]): TopologyTerm => segments.toSorted(compareSegments)

/** The place of a node by these of its labels; undefined when it lacks one. */
export function findTermOfLabels(keys: readonly string[], labels: Labels | undefined): TopologyTerm | undefined {
  const segments: TopologySegment[] = []
  for (const key of keys) {
    const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined
    if (value === undefined) return undefined
    segments.push({ key, value })
  }
  return termOf(segments)
}

/** The places that a class allows, each with one value for a key: every way to pick one value of each expression of an entry. */
export function flattenTopologies(allowed: readonly TopologySelectorTerm[]): TopologyTerm[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return []
    const ways = matchLabelExpressions.reduce<TopologySegment[][]>(
      (begun, { key, values }) => values.flatMap((value) => begun.map((segments) => [...segments, { key, value }])),
      [[]],
    )
    return ways.map(termOf)
  })
}

/** Sorted, and each once. A term that a shorter one covers is kept: the driver may treat it differently. */
export function uniqueTerms(terms: readonly TopologyTerm[]): TopologyTerm[] {
  return terms
    .toSorted(compareTerms)
    .filter((term, index, sorted) => index === 0 || compareTerms(term, sorted[index - 1] ?? []) !== 0)
}

/** Whether everything in `part` holds in `whole` too. */
export function isPartOf(part: TopologyTerm, whole: TopologyTerm): boolean {
  return part.every((wanted) => whole.some((segment) => compareSegments(segment, wanted) === 0))
}

export const topologyOf = (term: TopologyTerm): Topology => ({
  segments: Object.fromEntries(term.map(({ key, value }) => [key, value])),
})

/** Shorter ones first, then by key and value from the first segment on. */
export function compareTerms(one: TopologyTerm, other: TopologyTerm): number {
  if (one.length !== other.length) return one.length - other.length
  for (const [index, segment] of one.entries()) {
    const order = compareSegments(segment, other[index] ?? segment)
    if (order !== 0) return order
  }
  return 0
}

const compareSegments = (one: TopologySegment, other: TopologySegment): number =>
  compareText(one.key, other.key) || compareText(one.value, other.value)
// Labels are ASCII, where this is the order of bytes.
const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
