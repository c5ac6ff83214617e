import { compareQuantities } from '../../api/quantity.ts'
import { RESOURCE_QUOTAS } from '../../api/kinds/resource-quota.ts'
import type { ResourceQuota } from '../../api/kinds/resource-quota.ts'
import { validateQualifiedName } from '../../api/names.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { invalid, invalidFor, required } from './rules/problems.ts'

type Spec = NonNullable<Loose<ResourceQuota>['spec']>
type Amounts = Record<string, string | undefined>

const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const MEASURED = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]
const POD_RESOURCES = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const CLAIM_RESOURCES = ['persistentvolumeclaims', 'requests.storage']

// The resources that each scope can be applied to.
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: POD_RESOURCES,
  NotTerminating: POD_RESOURCES,
  BestEffort: ['pods'],
  NotBestEffort: POD_RESOURCES,
  PriorityClass: POD_RESOURCES,
  CrossNamespacePodAffinity: POD_RESOURCES,
  VolumeAttributesClass: CLAIM_RESOURCES,
}
const PLAIN_SCOPES = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity']
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

/** Whether the server measures the use of this resource itself; other names are `count/RESOURCE`, or belong to a device or a class. */
export const isStandardQuotaResource = (name: string): boolean =>
  COUNTED.includes(name) || MEASURED.includes(name) || /^(?:requests\.)?hugepages-/.test(name)

export const RESOURCE_QUOTA_KIND = kindTable<ResourceQuota>({
  type: RESOURCE_QUOTAS,
  shortNames: ['quota'],
  deleteAnswer: 'object',
  hasStatus: true,
  columns: [
    NAME,
    text('Request', (quota) => formatUse(quota, (name) => !name.startsWith('limits.'))),
    text('Limit', (quota) => formatUse(quota, (name) => name.startsWith('limits.'))),
    AGE,
  ],
  validate: ({ spec = {} }) => [
    ...amountProblems('spec.hard', spec.hard),
    ...scopeProblems(spec),
    ...selectorProblems(spec),
  ],
  validateUpdate({ spec = {} }, old) {
    const [now, before] = [new Set(spec.scopes ?? []), new Set(old.spec?.scopes ?? [])]
    const isSame = now.size === before.size && now.isSubsetOf(before)
    return isSame ? [] : [invalid('spec.scopes', spec.scopes, 'field is immutable')]
  },
  validateStatusUpdate: ({ status = {} }) => [
    ...amountProblems('status.hard', status.hard),
    ...amountProblems('status.used', status.used),
  ],
})

function formatUse({ status }: Loose<ResourceQuota>, isShown: (name: string) => boolean): string {
  const { hard = {}, used = {} } = (status ?? {}) as { hard?: Amounts; used?: Amounts }
  return Object.keys(hard)
    .filter(isShown)
    .sort()
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`)
    .join(', ')
}

function amountProblems(field: string, amounts: object | undefined): FieldProblem[] {
  return Object.entries((amounts ?? {}) as Record<string, string>).flatMap(([name, amount]) => {
    const at = `${field}[${name}]`
    const isUnknown = !name.includes('/') && !isStandardQuotaResource(name)
    return [
      ...invalidFor(at, name, validateQualifiedName(name)),
      ...(isUnknown ? [invalid(at, name, 'must be a standard resource for quota')] : []),
      ...(compareQuantities(amount, '0') < 0 ? [invalid(at, amount, 'must be greater than or equal to 0')] : []),
      ...(COUNTED.includes(name) && amount.endsWith('m') ? [invalid(at, amount, 'must be an integer')] : []),
    ]
  })
}

const isWrongFor = (scope: string, { hard = {} }: Spec): boolean =>
  Object.keys(hard as object).some((name) => isStandardQuotaResource(name) && !SCOPES[scope]?.includes(name))

function scopeProblems(spec: Spec): FieldProblem[] {
  const scopes = (spec.scopes ?? []) as string[]
  return [
    ...scopes.flatMap((scope) => [
      ...(SCOPES[scope] ? [] : [invalid('spec.scopes', scopes, 'unsupported scope')]),
      ...(SCOPES[scope] && isWrongFor(scope, spec)
        ? [invalid('spec.scopes', scopes, 'unsupported scope applied to resource')]
        : []),
    ]),
    ...conflictProblems('spec.scopes', scopes),
  ]
}

const conflictProblems = (field: string, scopes: readonly string[]): FieldProblem[] =>
  OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    invalid(field, scopes, 'conflicting scopes'),
  )

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

function selectorProblems(spec: Spec): FieldProblem[] {
  const field = 'spec.scopeSelector.matchExpressions'
  const requirements = spec.scopeSelector?.matchExpressions ?? []
  const each = requirements.flatMap(({ scopeName = '', operator = '', values = [] }) => [
    ...(SCOPES[scopeName] ? [] : [invalid(`${field}.scopeName`, scopeName, 'unsupported scope')]),
    ...(SCOPES[scopeName] && isWrongFor(scopeName, spec)
      ? [invalid(field, spec.scopeSelector, 'unsupported scope applied to resource')]
      : []),
    ...(PLAIN_SCOPES.includes(scopeName) && operator !== 'Exists'
      ? [invalid(`${field}.operator`, operator, MUST_EXIST)]
      : []),
    ...valueProblems(field, operator, values),
  ])
  const names = requirements.map(({ scopeName = '' }) => scopeName)
  return [...each, ...conflictProblems(field, names)]
}

function valueProblems(field: string, operator: string, values: readonly unknown[]): FieldProblem[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [
            required(
              `${field}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            invalid(
              `${field}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ]
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')]
  }
}
