import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorTerm,
} from '../../api/kinds/selectors.ts'
import { createLabelRequirement, matchesLabelRequirement } from '../../api/label-requirement.ts'
import type { LabelOperator, LabelRequirement, Labels } from '../../api/label-requirement.ts'
import { SelectorError } from '../../api/selector-error.ts'

/** What a selector looks at. */
export type Place = { readonly name: string; readonly labels: Labels }

/** A selector made ready to be asked about thousands of nodes. */
export type NodeMatcher = (place: Place) => boolean

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: '>',
  Lt: '<',
}

/** One of the terms must hold; a term that makes no sense, or has nothing in it, holds nowhere. */
export function compileNodeSelector({ nodeSelectorTerms }: NodeSelector): NodeMatcher {
  const terms = nodeSelectorTerms.flatMap((term) => compileTerm(term) ?? [])
  const [only] = terms
  if (only && terms.length === 1) return only
  return (place) => terms.some((matches) => matches(place))
}

/** Undefined for a term that can hold nowhere. */
export function compileTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeMatcher | undefined {
  if (matchExpressions.length === 0 && matchFields.length === 0) return undefined
  const requirements: LabelRequirement[] = []
  const fields: { name: string; isIn: boolean }[] = []
  for (const expression of matchExpressions) {
    const requirement = parseRequirement(expression)
    if (!requirement) return undefined
    requirements.push(requirement)
  }
  for (const { key, operator, values = [] } of matchFields) {
    const [name] = values
    if (
      key !== 'metadata.name' ||
      name === undefined ||
      values.length > 1 ||
      (operator !== 'In' && operator !== 'NotIn')
    )
      return undefined
    fields.push({ name, isIn: operator === 'In' })
  }
  return ({ name, labels }) =>
    requirements.every((requirement) => matchesLabelRequirement(requirement, labels)) &&
    fields.every((field) => (field.name === name) === field.isIn)
}

function parseRequirement({ key, operator, values = [] }: NodeSelectorRequirement): LabelRequirement | undefined {
  const known = OPERATORS[operator]
  if (known === undefined) return undefined
  try {
    return createLabelRequirement({ key, operator: known, values })
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}

/** Where a class may put volumes. No terms allow every place; an empty term allows none. */
export function compileTopologyTerms(terms: readonly TopologySelectorTerm[] = []): NodeMatcher {
  if (terms.length === 0) return () => true
  const alternatives = terms.map(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key, values }): LabelRequirement => ({ key, operator: 'in', values })),
  )
  return ({ labels }) =>
    alternatives.some(
      (all) => all.length > 0 && all.every((requirement) => matchesLabelRequirement(requirement, labels)),
    )
}
