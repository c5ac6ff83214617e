import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
} from '../../../api/kinds/admission-registration.ts'
import { validateQualifiedName } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { expressionProblems } from './expressions.ts'
import { duplicate, invalid, invalidFor, notSupported, oneOf, required, tooMany } from './problems.ts'
import { labelSelectorProblems } from './selectors.ts'

type Rule = Loose<NamedRuleWithOperations>

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
export const FAILURE_POLICIES = ['Fail', 'Ignore']
export const MATCH_POLICIES = ['Equivalent', 'Exact']
const SCOPES = ['*', 'Cluster', 'Namespaced']
const MOST_CONDITIONS = 64

/** Which requests a rule of a webhook or a policy is for. */
export function ruleProblems(field: string, rule: Rule): FieldProblem[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule
  return [
    ...listProblems(`${field}.operations`, operations, 'operations'),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation ?? '')
        ? []
        : [notSupported(`${field}.operations[${index}]`, operation, OPERATIONS)],
    ),
    ...listProblems(`${field}.apiGroups`, apiGroups, 'API groups'),
    ...listProblems(`${field}.apiVersions`, apiVersions, 'API versions'),
    ...emptyProblems(`${field}.apiVersions`, apiVersions),
    ...resourceProblems(`${field}.resources`, resources as string[]),
    ...oneOf(`${field}.scope`, scope, SCOPES),
  ]
}

function listProblems(field: string, items: readonly unknown[], what: string): FieldProblem[] {
  if (items.length === 0) return [required(field)]
  return items.length > 1 && items.includes('*')
    ? [invalid(field, items, `if '*' is present, must not specify other ${what}`)]
    : []
}

const emptyProblems = (field: string, items: readonly unknown[]): FieldProblem[] =>
  items.flatMap((item, index) => (item === '' ? [required(`${field}[${index}]`)] : []))

function resourceProblems(field: string, resources: readonly string[]): FieldProblem[] {
  const isPlain = (resource: string): boolean => resource !== '*' && !resource.includes('/')
  return [
    ...(resources.length === 0 ? [required(field)] : []),
    ...emptyProblems(field, resources),
    ...(resources.length > 1 && resources.includes('*/*')
      ? [invalid(field, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(resources.includes('*') && resources.some(isPlain)
      ? [invalid(field, resources, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ]
}

export function matchConditionProblems(
  field: string,
  conditions: readonly Loose<MatchCondition>[] = [],
  names: readonly string[],
): FieldProblem[] {
  return [
    ...tooMany(field, conditions.length, MOST_CONDITIONS),
    ...conditions.flatMap(({ name, expression }, index) => [
      ...expressionProblems(`${field}[${index}].expression`, expression, { names, whenAbsent: '' }),
      ...(name
        ? invalidFor(`${field}[${index}].name`, name, validateQualifiedName(name))
        : [required(`${field}[${index}].name`)]),
      ...(name && conditions.findIndex((other) => other.name === name) < index
        ? [duplicate(`${field}[${index}].name`, name)]
        : []),
    ]),
  ]
}

export function matchResourcesProblems(field: string, match: Loose<MatchResources>): FieldProblem[] {
  const lists = ['resourceRules', 'excludeResourceRules'] as const
  return [
    ...oneOf(`${field}.matchPolicy`, match.matchPolicy, MATCH_POLICIES),
    ...labelSelectorProblems(`${field}.namespaceSelector`, match.namespaceSelector),
    ...labelSelectorProblems(`${field}.objectSelector`, match.objectSelector),
    ...lists.flatMap((list) =>
      (match[list] ?? []).flatMap((rule, index) => ruleProblems(`${field}.${list}[${index}]`, rule)),
    ),
  ]
}

export function applyMatchDefaults(match: Loose<MatchResources> | undefined): void {
  if (!match) return
  match.matchPolicy ??= 'Equivalent'
  match.namespaceSelector ??= {}
  match.objectSelector ??= {}
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*'
}
