import type { PersistentVolume } from '../../../api/kinds/persistent-volume.ts'
import { flattenTopologies } from '../topology-term.ts'
import type { TopologyTerm } from '../topology-term.ts'

/** The places where a volume may lie. Undefined when it does not say, or says it in a way that names no places. */
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
