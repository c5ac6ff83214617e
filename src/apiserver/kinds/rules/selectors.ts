import { validateLabels, validateLabelValue, validateName, validateQualifiedName } from '../../../api/names.ts'
import type { LabelSelector, NodeSelector, NodeSelectorTerm } from '../../../api/kinds/selectors.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { forbidden, invalid, invalidFor, required } from './problems.ts'

type Requirement = {
  key?: string | undefined
  operator?: string | undefined
  values?: (string | undefined)[] | undefined
}

const NOT_AN_OPERATOR = 'not a valid selector operator'

export const labelProblems = (
  field: string,
  labels: Readonly<Record<string, string | undefined>> | undefined,
): FieldProblem[] =>
  validateLabels((labels ?? {}) as Record<string, string>).map(({ value, detail }) => invalid(field, value, detail))

/** An absent selector is valid here: the kind decides whether it is required. */
export function labelSelectorProblems(field: string, selector: Loose<LabelSelector> | undefined): FieldProblem[] {
  if (!selector) return []
  return [
    ...labelProblems(`${field}.matchLabels`, selector.matchLabels),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) => {
      const at = `${field}.matchExpressions[${index}]`
      return [
        ...setOperatorProblems(at, requirement),
        ...keyProblems(at, requirement),
        ...valueProblems(at, requirement),
      ]
    }),
  ]
}

/** The nodes on which a volume can be used, or a pod may run. */
export function nodeSelectorProblems(field: string, selector: Loose<NodeSelector>): FieldProblem[] {
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0) return [required(`${field}.nodeSelectorTerms`, 'must have at least one node selector term')]
  return terms.flatMap((term, index) => nodeSelectorTermProblems(`${field}.nodeSelectorTerms[${index}]`, term))
}

export const nodeSelectorTermProblems = (field: string, term: Loose<NodeSelectorTerm>): FieldProblem[] => [
  ...(term.matchExpressions ?? []).flatMap((requirement, index) =>
    nodeRequirementProblems(`${field}.matchExpressions[${index}]`, requirement),
  ),
  ...(term.matchFields ?? []).flatMap((requirement, index) =>
    nodeFieldProblems(`${field}.matchFields[${index}]`, requirement),
  ),
]

function nodeRequirementProblems(field: string, requirement: Requirement): FieldProblem[] {
  const { operator } = requirement
  const comparison =
    operator === 'Gt' || operator === 'Lt'
      ? (requirement.values ?? []).length === 1
        ? []
        : [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
      : setOperatorProblems(field, requirement)
  return [...comparison, ...keyProblems(field, requirement), ...valueProblems(field, requirement)]
}

function setOperatorProblems(field: string, { operator, values }: Requirement): FieldProblem[] {
  const count = (values ?? []).length
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count === 0 ? [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")] : []
    case 'Exists':
    case 'DoesNotExist':
      return count > 0
        ? [forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : []
    default:
      return [invalid(`${field}.operator`, operator ?? '', NOT_AN_OPERATOR)]
  }
}

// The name is the only selectable field of a node.
function nodeFieldProblems(field: string, { key, operator, values }: Requirement): FieldProblem[] {
  const given = values ?? []
  const problems: FieldProblem[] = []
  if (operator !== 'In' && operator !== 'NotIn')
    problems.push(invalid(`${field}.operator`, operator ?? '', NOT_AN_OPERATOR))
  else if (given.length !== 1) {
    problems.push(
      required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    )
  }
  if (key !== 'metadata.name')
    return [...problems, invalid(`${field}.key`, key ?? '', 'not a valid field selector key')]
  return [
    ...problems,
    ...given.flatMap((value, index) =>
      invalidFor(`${field}.values[${index}]`, value ?? '', validateName('subdomain', value ?? '')),
    ),
  ]
}

const keyProblems = (field: string, { key }: Requirement): FieldProblem[] =>
  invalidFor(`${field}.key`, key ?? '', validateQualifiedName(key ?? ''))

const valueProblems = (field: string, { values }: Requirement): FieldProblem[] =>
  (values ?? []).flatMap((value, index) =>
    invalidFor(`${field}.values[${index}]`, value ?? '', validateLabelValue(value ?? '')),
  )
