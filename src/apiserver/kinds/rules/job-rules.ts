import type { Job, JobSpec } from '../../../api/kinds/job.ts'
import type { LabelSelector } from '../../../api/kinds/selectors.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { validateDnsLabel, validateDnsSubdomain, validateQualifiedName } from '../../../api/names.ts'
import type { ObjectMeta } from '../../../api/object.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { applyTemplateDefaults, anyTemplateProblems } from './pod-template.ts'
import {
  duplicate,
  immutable,
  invalid,
  invalidFor,
  nonNegative,
  notSupported,
  oneOf,
  required,
  tooLong,
  tooMany,
} from './problems.ts'
import { labelSelectorProblems } from './selectors.ts'
import { successPolicyProblems } from './success-policy.ts'

// Defaults and validation of Jobs, in upstream's words.

type Spec = Loose<JobSpec>
type FailureRule = NonNullable<NonNullable<NonNullable<Spec['podFailurePolicy']>['rules']>[number]>

const LARGEST_INT32 = 2 ** 31 - 1
const LARGEST_COUNT = 100_000
const LARGEST_COUNT_OF_MANY = 10_000
const MOST_RULES = 20
const MOST_EXIT_CODES = 255
const LONGEST_MANAGER = 63

export function applyJobSpecDefaults(spec: Spec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : LARGEST_INT32
  spec.completionMode ||= 'NonIndexed'
  spec.suspend ??= false
  spec.podReplacementPolicy ||= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'
  spec.manualSelector ??= false
  applyFailurePolicyDefaults(spec)
  applyTemplateDefaults(spec)
}

export function applyFailurePolicyDefaults({ podFailurePolicy }: Spec): void {
  for (const rule of podFailurePolicy?.rules ?? [])
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True'
}

/** The spec of a Job, or of the Jobs of a CronJob, at this path. */
export function jobSpecProblems(field: string, spec: Spec): FieldProblem[] {
  const counts = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const
  const isIndexed = spec.completionMode === 'Indexed'
  return [
    ...counts.flatMap((member) => nonNegative(`${field}.${member}`, spec[member])),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...managerProblems(`${field}.managedBy`, spec.managedBy),
    ...oneOf(`${field}.completionMode`, spec.completionMode, ['NonIndexed', 'Indexed']),
    ...(isIndexed ? indexedProblems(field, spec) : []),
    ...(spec.completionMode === undefined || spec.completionMode === 'NonIndexed'
      ? (['backoffLimitPerIndex', 'maxFailedIndexes'] as const).flatMap((member) =>
          spec[member] === undefined ? [] : [invalid(`${field}.${member}`, spec[member], NEEDS_INDEXES)],
        )
      : []),
    ...failurePolicyProblems(`${field}.podFailurePolicy`, spec),
    ...(spec.successPolicy && !isIndexed ? [invalid(`${field}.successPolicy`, spec.successPolicy, NEEDS_INDEXES)] : []),
    ...(spec.successPolicy && isIndexed
      ? successPolicyProblems(`${field}.successPolicy`, spec.successPolicy, spec.completions ?? 0)
      : []),
    ...oneOf(
      `${field}.podReplacementPolicy`,
      spec.podReplacementPolicy,
      spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'],
    ),
    ...anyTemplateProblems({ template: spec.template }, field),
    ...restartProblems(`${field}.template.spec.restartPolicy`, spec),
  ]
}

const NEEDS_INDEXES = 'requires indexed completion mode'

function indexedProblems(field: string, spec: Spec): FieldProblem[] {
  const { completions, parallelism = 0, maxFailedIndexes } = spec
  const atMost = (member: 'parallelism' | 'maxFailedIndexes', most: number, when = ''): FieldProblem[] =>
    (spec[member] ?? 0) > most
      ? [invalid(`${field}.${member}`, spec[member], `must be less than or equal to ${most}${when}`)]
      : []
  const isMany = (completions ?? 0) > LARGEST_COUNT && spec.backoffLimitPerIndex !== undefined
  const whenMany = ` when completions are above ${LARGEST_COUNT} and used with backoff limit per index`
  return [
    ...(completions === undefined ? [required(`${field}.completions`, 'when completion mode is Indexed')] : []),
    ...(parallelism > LARGEST_COUNT ? atMost('parallelism', LARGEST_COUNT, ' when completion mode is Indexed') : []),
    ...(completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions
      ? [invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...atMost('maxFailedIndexes', LARGEST_COUNT),
    ...(isMany && maxFailedIndexes === undefined
      ? [required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${LARGEST_COUNT}`)]
      : []),
    ...(isMany ? atMost('parallelism', LARGEST_COUNT_OF_MANY, whenMany) : []),
    ...(isMany ? atMost('maxFailedIndexes', LARGEST_COUNT_OF_MANY, whenMany) : []),
  ]
}

function managerProblems(field: string, manager: string | undefined): FieldProblem[] {
  if (manager === undefined) return []
  if (manager === '') return [required(field)]
  const [, host = '', path = ''] = /^([^/]*)\/(.*)$/s.exec(manager) ?? []
  const long = Buffer.byteLength(manager) > LONGEST_MANAGER ? [tooLong(field, LONGEST_MANAGER)] : []
  if (host === '' || path === '')
    return [invalid(field, manager, 'must be a domain-prefixed path (such as "acme.io/foo")'), ...long]
  return [...invalidFor(field, host, validateDnsSubdomain(host)), ...long]
}

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const STATUSES = ['False', 'True', 'Unknown']
const OPERATORS = ['In', 'NotIn']
const validValues = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`

function failurePolicyProblems(
  field: string,
  { podFailurePolicy, template, backoffLimitPerIndex }: Spec,
): FieldProblem[] {
  if (!podFailurePolicy) return []
  const { containers = [], initContainers = [] } = template?.spec ?? {}
  const names = [...containers, ...initContainers].map(({ name }) => name)
  const rules = podFailurePolicy.rules ?? []
  return [
    ...tooMany(`${field}.rules`, rules.length, MOST_RULES),
    ...rules.flatMap((rule, place) => {
      const at = `${field}.rules[${place}]`
      const hasConditions = (rule.onPodConditions ?? []).length > 0
      const sources = `specifying ${rule.onExitCodes ? 'both' : 'one of'} OnExitCodes and OnPodConditions is`
      return [
        ...actionProblems(`${at}.action`, rule.action, backoffLimitPerIndex !== undefined),
        ...exitCodeProblems(`${at}.onExitCodes`, rule.onExitCodes, names),
        ...conditionProblems(`${at}.onPodConditions`, rule.onPodConditions ?? []),
        ...(hasConditions && rule.onExitCodes ? [withoutValue(at, `${sources} not supported`)] : []),
        ...(hasConditions || rule.onExitCodes ? [] : [withoutValue(at, `${sources} required`)]),
      ]
    }),
  ]
}

const withoutValue = (field: string, detail: string): FieldProblem => ({ field, type: 'FieldValueInvalid', detail })

function actionProblems(field: string, action: string | undefined, hasLimitPerIndex: boolean): FieldProblem[] {
  if (!action) return [required(field, validValues(ACTIONS))]
  if (action === 'FailIndex' && !hasLimitPerIndex)
    return [invalid(field, action, 'requires the backoffLimitPerIndex to be set')]
  return oneOf(field, action, ACTIONS)
}

function exitCodeProblems(
  field: string,
  onExitCodes: FailureRule['onExitCodes'],
  names: readonly (string | undefined)[],
): FieldProblem[] {
  if (!onExitCodes) return []
  const { operator, containerName } = onExitCodes
  // An empty list is stored as null.
  const values = onExitCodes.values ?? []
  const isOrdered = values.every((value, place) => place === 0 || (values[place - 1] ?? 0) <= value)
  return [
    ...(operator
      ? oneOf(`${field}.operator`, operator, OPERATORS)
      : [required(`${field}.operator`, validValues(OPERATORS))]),
    ...(containerName === undefined || names.includes(containerName)
      ? []
      : [
          invalid(
            `${field}.containerName`,
            containerName,
            'must be one of the container or initContainer names in the pod template',
          ),
        ]),
    ...(values.length === 0 ? [invalid(`${field}.values`, values, 'at least one value is required')] : []),
    ...tooMany(`${field}.values`, values.length, MOST_EXIT_CODES),
    ...values.flatMap((value, place) => [
      ...(operator === 'In' && value === 0
        ? [invalid(`${field}.values[${place}]`, value, 'must not be 0 for the In operator')]
        : []),
      ...(values.indexOf(value) < place ? [duplicate(`${field}.values[${place}]`, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalid(`${field}.values`, values, 'must be ordered')]),
  ]
}

const conditionProblems = (field: string, patterns: NonNullable<FailureRule['onPodConditions']>): FieldProblem[] => [
  ...tooMany(field, patterns.length, MOST_RULES),
  ...patterns.flatMap(({ type = '', status }, place) => [
    ...invalidFor(`${field}[${place}].type`, type, validateQualifiedName(type)),
    ...(status
      ? oneOf(`${field}[${place}].status`, status, STATUSES)
      : [required(`${field}[${place}].status`, validValues(STATUSES))]),
  ]),
]

function restartProblems(field: string, { template, podFailurePolicy }: Spec): FieldProblem[] {
  const { restartPolicy = '' } = template?.spec ?? {}
  if (restartPolicy === 'Always' || restartPolicy === '') return [required(field, 'valid values: "OnFailure", "Never"')]
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never')
    return [notSupported(field, restartPolicy, ['OnFailure', 'Never'])]
  return podFailurePolicy && restartPolicy !== 'Never'
    ? [invalid(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')]
    : []
}

/** The selector of a Job, which the server generates unless the user asks to do that. */
export function jobSelectorProblems({ metadata = {}, spec = {} }: Loose<Job>): FieldProblem[] {
  const { selector, template, manualSelector } = spec
  if (!selector) return [required('spec.selector')]
  const problems = labelSelectorProblems('spec.selector', selector)
  const selects = (labels: Loose<ObjectMeta>['labels']): boolean =>
    problems.length > 0 || selectsLabels(selector as LabelSelector, (labels ?? {}) as Record<string, string>)
  const { labels } = template?.metadata ?? {}
  return [
    ...(manualSelector || selects(ownLabels(metadata))
      ? []
      : [invalid('spec.selector', selector, '`selector` not auto-generated')]),
    ...problems,
    ...(selects(labels)
      ? []
      : [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]),
  ]
}

/** The labels by which a Job finds its pods, in alphabetical order. */
export const ownLabels = ({ name = '', uid = '' }: Loose<ObjectMeta>) => ({
  'batch.kubernetes.io/controller-uid': uid,
  'batch.kubernetes.io/job-name': name,
  'controller-uid': uid,
  'job-name': name,
})

/** The pod of the last index has the longest host name. */
export function hostNameProblems({ metadata, spec }: Loose<Job>): FieldProblem[] {
  const { name = '' } = metadata ?? {}
  const { completionMode, completions = 0 } = spec ?? {}
  const longest = `${name}-${completions - 1}`
  return completionMode === 'Indexed' && completions > 0 && validateDnsLabel(longest).length > 0
    ? [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`)]
    : []
}

const FIXED = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const

export function jobUpdateProblems({ spec = {} }: Loose<Job>, { spec: before = {} }: Loose<Job>): FieldProblem[] {
  return [
    ...completionsProblems(spec, before),
    ...immutable('spec.selector', spec.selector, before.selector),
    ...(before.suspend ? [] : immutable('spec.template', spec.template, before.template)),
    ...FIXED.flatMap((member) => immutable(`spec.${member}`, spec[member], before[member])),
  ]
}

function completionsProblems(spec: Spec, before: Spec): FieldProblem[] {
  if (spec.completionMode !== 'Indexed') return immutable('spec.completions', spec.completions, before.completions)
  return spec.completions === undefined ||
    spec.completions === before.completions ||
    spec.completions === spec.parallelism
    ? []
    : [invalid('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism')]
}
