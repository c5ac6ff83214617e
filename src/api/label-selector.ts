import type { LabelSelector } from './kinds/selectors.ts'
import { createLabelRequirement, formatLabelRequirement, matchesLabelRequirement } from './label-requirement.ts'
import type { LabelOperator, LabelRequirements, Labels } from './label-requirement.ts'
import { parseLabelQuery } from './parse-label-query.ts'
import { quoteGo } from './quote-go.ts'
import { SelectorError } from './selector-error.ts'

/** Parses a selector such as `a=b,c!=d,e in (x,y),f notin (z),g,!h`, sorted by key; throws a `SelectorError` with the message of Kubernetes. */
export function parseLabelSelector(text: string): LabelRequirements {
  return sortByKey(parseLabelQuery(text))
}

/** The text that `parseLabelSelector` parses to these requirements. */
export function formatLabelSelector(requirements: LabelRequirements): string {
  return requirements.map(formatLabelRequirement).join(',')
}

/** Whether labels match all requirements. */
export function matchesLabelSelector(requirements: LabelRequirements, labels: Labels | undefined): boolean {
  return requirements.every((requirement) => matchesLabelRequirement(requirement, labels ?? {}))
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/**
 * The requirements of a selector in an object. Throws a `SelectorError`. Use `selectsLabels` if the selector is optional: an absent selector matches
 * nothing, while an empty one matches everything.
 */
export function labelRequirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): LabelRequirements {
  const exact = Object.entries(matchLabels).map(([key, value]) =>
    createLabelRequirement({ key, operator: '=', values: [value] }),
  )
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined
    if (known === undefined) throw new SelectorError(`${quoteGo(operator)} is not a valid label selector operator`)
    return createLabelRequirement({ key, operator: known, values })
  })
  return sortByKey([...exact, ...expressions])
}

/** Whether a selector in an object matches these labels; an absent selector matches none. Throws a `SelectorError`. */
export function selectsLabels(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  return selector !== undefined && matchesLabelSelector(labelRequirementsOf(selector), labels)
}

const sortByKey = (requirements: LabelRequirements): LabelRequirements =>
  requirements.toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
