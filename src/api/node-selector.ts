import { matchesFieldSelector } from './field-selector.ts'
import type { FieldRequirement } from './field-selector.ts'
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorTerm,
} from './kinds/selectors.ts'
import { createLabelRequirement, joinProblems } from './label-requirement.ts'
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts'
import { matchesLabelSelector } from './label-selector.ts'
import type { KubeObject } from './object.ts'
import { quoteGo } from './quote-go.ts'
import { SelectorError } from './selector-error.ts'

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: '>',
  Lt: '<',
}

/**
 * Whether a node matches one of the terms. An invalid term matches nothing; it throws a `SelectorError` only if no other term matches, as in the
 * Kubernetes scheduler.
 */
export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: Pick<KubeObject, 'metadata'>): boolean {
  const problems: string[] = []
  const found = nodeSelectorTerms.some((term, index) => {
    try {
      return matchesNodeSelectorTerm(term, node, `nodeSelectorTerms[${index}]`)
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error
      problems.push(error.message)
      return false
    }
  })
  if (!found && problems.length > 0) throw new SelectorError(joinProblems(problems))
  return found
}

/** The fields of a node that a selector reads. */
export type Place = { readonly name: string; readonly labels: Labels }

/** A selector compiled for matching many nodes. */
export type NodeMatcher = (place: Place) => boolean

/** Whether a node matches a term completely. Throws a `SelectorError` in which `path` identifies the term. */
export const matchesNodeSelectorTerm = (
  term: NodeSelectorTerm,
  { metadata: { name = '', labels = {} } }: Pick<KubeObject, 'metadata'>,
  path = '',
): boolean => compileNodeSelectorTerm(term, path)({ name, labels })

/** A node must match all of a term; an empty term matches nothing. Throws a `SelectorError` in which `path` identifies the term. */
export function compileNodeSelectorTerm(term: NodeSelectorTerm, path = ''): NodeMatcher {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length === 0 && matchFields.length === 0) return () => false
  const at = path === '' ? '' : `${path}.`
  const requirements = matchExpressions.map((expression, index) =>
    labelRequirementOf(expression, `${at}matchExpressions[${index}]`),
  )
  const fields = matchFields.map((expression, index) => fieldRequirementOf(expression, `${at}matchFields[${index}]`))
  return ({ name, labels }) =>
    matchesLabelSelector(requirements, labels) &&
    matchesFieldSelector(fields, (field) => (field === 'metadata.name' ? name : undefined))
}

function labelRequirementOf({ key, operator, values = [] }: NodeSelectorRequirement, path: string): LabelRequirement {
  const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined
  if (known === undefined) throw notSupported(path, operator, Object.keys(OPERATORS))
  return createLabelRequirement({ key, operator: known, values }, path)
}

function fieldRequirementOf({ key, operator, values = [] }: NodeSelectorRequirement, path: string): FieldRequirement {
  if (operator !== 'In' && operator !== 'NotIn') throw notSupported(path, operator, ['In', 'NotIn'])
  const [value] = values
  if (value === undefined || values.length > 1) {
    throw new SelectorError(
      `${path}.values: Invalid value: ${values.length === 0 ? 'null' : JSON.stringify(values)}: must have one element`,
    )
  }
  return { field: key, operator: operator === 'In' ? '=' : '!=', value }
}

const notSupported = (path: string, operator: string, supported: readonly string[]): SelectorError =>
  new SelectorError(
    `${path}.operator: Unsupported value: ${quoteGo(operator)}: supported values: ${supported.map(quoteGo).join(', ')}`,
  )

/** Whether a location matches one of the topology terms of a storage class. */
export const matchesTopologyTerms = (terms: readonly TopologySelectorTerm[], labels: Labels = {}): boolean =>
  compileTopologyTerms(terms)({ labels })

/** Where a storage class may create volumes. Without terms, everywhere; an empty term matches nowhere. */
export function compileTopologyTerms(
  terms: readonly TopologySelectorTerm[],
): (place: Pick<Place, 'labels'>) => boolean {
  if (terms.length === 0) return () => true
  const alternatives = terms.map(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key, values }): LabelRequirement => ({ key, operator: 'in', values })),
  )
  return ({ labels }) => alternatives.some((all) => all.length > 0 && matchesLabelSelector(all, labels))
}
