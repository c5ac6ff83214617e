import {
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../api/kinds/admission-registration.ts'
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../api/kinds/admission-registration.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, integer, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import {
  applyMatchDefaults,
  FAILURE_POLICIES,
  matchConditionProblems,
  matchResourcesProblems,
} from './rules/admission-rules.ts'
import { expressionProblems, POLICY_NAMES } from './rules/expressions.ts'
import { invalid, oneOf, required } from './rules/problems.ts'
import { formatSelector } from './rules/selector-text.ts'
import { applyWebhookDefaults, webhookProblems } from './rules/webhooks.ts'

const EXTENSION = { categories: ['api-extensions'], unconditionalUpdate: false } as const

const VALIDATING_WEBHOOK = kindTable<ValidatingWebhookConfiguration>({
  ...EXTENSION,
  type: VALIDATING_WEBHOOK_CONFIGURATIONS,
  generation: 'all-but-status',
  columns: [NAME, integer('Webhooks', ({ webhooks }) => (webhooks ?? []).length), AGE],
  applyDefaults: ({ webhooks }) => (webhooks ?? []).forEach(applyWebhookDefaults),
  validate: ({ webhooks }) => webhookProblems(webhooks),
})

const MUTATING_WEBHOOK = kindTable<MutatingWebhookConfiguration>({
  ...EXTENSION,
  type: MUTATING_WEBHOOK_CONFIGURATIONS,
  generation: 'all-but-status',
  columns: [NAME, integer('Webhooks', ({ webhooks }) => (webhooks ?? []).length), AGE],
  applyDefaults({ webhooks }) {
    for (const webhook of webhooks ?? []) {
      applyWebhookDefaults(webhook)
      webhook.reinvocationPolicy ??= 'Never'
    }
  },
  validate: ({ webhooks }) => webhookProblems(webhooks),
})

type AnyPolicy = { spec?: Loose<ValidatingAdmissionPolicy>['spec'] | Loose<MutatingAdmissionPolicy>['spec'] }

const formatParamKind = ({ spec }: AnyPolicy): string =>
  spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>'

function applyPolicyDefaults(policy: AnyPolicy): void {
  const spec = (policy.spec ??= {})
  spec.failurePolicy ??= 'Fail'
  applyMatchDefaults(spec.matchConstraints)
}

// The parts that both kinds of policies have.
function commonProblems({ spec = {} }: AnyPolicy): FieldProblem[] {
  const { matchConstraints, paramKind, variables = [] } = spec
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, FAILURE_POLICIES),
    ...(paramKind && !paramKind.apiVersion ? [required('spec.paramKind.apiVersion')] : []),
    ...(paramKind && !paramKind.kind ? [required('spec.paramKind.kind')] : []),
    ...(matchConstraints
      ? matchResourcesProblems('spec.matchConstraints', matchConstraints)
      : [required('spec.matchConstraints')]),
    ...(matchConstraints && (matchConstraints.resourceRules ?? []).length === 0
      ? [required('spec.matchConstraints.resourceRules')]
      : []),
    ...matchConditionProblems('spec.matchConditions', spec.matchConditions, POLICY_NAMES),
    ...variables.flatMap(({ name, expression }, index) => [
      ...(name ? [] : [required(`spec.variables[${index}].name`, 'name is not specified')]),
      ...(name && !/^[A-Za-z_]\w*$/.test(name)
        ? [invalid(`spec.variables[${index}].name`, name, 'must be a valid CEL identifier')]
        : []),
      ...policyExpression(`spec.variables[${index}].expression`, expression),
    ]),
  ]
}

const policyExpression = (field: string, expression: string | undefined): FieldProblem[] =>
  expressionProblems(field, expression, { names: POLICY_NAMES, whenAbsent: 'expression is not specified' })

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const NOTHING_CHECKED = 'validations or auditAnnotations must contain at least one item'

const VALIDATING_POLICY = kindTable<ValidatingAdmissionPolicy>({
  ...EXTENSION,
  type: VALIDATING_ADMISSION_POLICIES,
  generation: 'spec',
  hasStatus: true,
  columns: [
    NAME,
    integer('Validations', ({ spec }) => (spec?.validations ?? []).length),
    text('ParamKind', formatParamKind),
    AGE,
  ],
  applyDefaults: applyPolicyDefaults,
  validate(policy) {
    const { validations = [], auditAnnotations = [] } = policy.spec ?? {}
    return [
      ...commonProblems(policy),
      ...(validations.length + auditAnnotations.length === 0
        ? [required('spec.validations', NOTHING_CHECKED), required('spec.auditAnnotations', NOTHING_CHECKED)]
        : []),
      ...validations.flatMap(({ expression, messageExpression, reason }, index) => [
        ...policyExpression(`spec.validations[${index}].expression`, expression),
        ...(messageExpression
          ? policyExpression(`spec.validations[${index}].messageExpression`, messageExpression)
          : []),
        ...oneOf(`spec.validations[${index}].reason`, reason, REASONS),
      ]),
      ...auditAnnotations.flatMap(({ valueExpression }, index) =>
        policyExpression(`spec.auditAnnotations[${index}].valueExpression`, valueExpression),
      ),
    ]
  },
})

const MUTATING_POLICY = kindTable<MutatingAdmissionPolicy>({
  ...EXTENSION,
  type: MUTATING_ADMISSION_POLICIES,
  generation: 'spec',
  columns: [
    NAME,
    integer('Mutations', ({ spec }) => (spec?.mutations ?? []).length),
    text('ParamKind', formatParamKind),
    AGE,
  ],
  applyDefaults: applyPolicyDefaults,
  validate(policy) {
    const { mutations = [], reinvocationPolicy } = policy.spec ?? {}
    return [
      ...commonProblems(policy),
      ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
      ...mutations.flatMap(({ patchType, applyConfiguration, jsonPatch }, index) => {
        const field = `spec.mutations[${index}]`
        if (patchType === 'ApplyConfiguration')
          return policyExpression(`${field}.applyConfiguration.expression`, applyConfiguration?.expression)
        if (patchType === 'JSONPatch') return policyExpression(`${field}.jsonPatch.expression`, jsonPatch?.expression)
        return patchType
          ? oneOf(`${field}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch'])
          : [required(`${field}.patchType`)]
      }),
      ...(reinvocationPolicy
        ? oneOf('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never'])
        : [required('spec.reinvocationPolicy')]),
    ]
  },
})

type AnyBinding = {
  spec?: Loose<ValidatingAdmissionPolicyBinding>['spec'] | Loose<MutatingAdmissionPolicyBinding>['spec']
}

function formatParamRef(ref: Loose<ParamRef> | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`
  return ref?.selector ? formatSelector(ref.selector) : '<unset>'
}

const bindingProblems = ({ spec = {} }: AnyBinding): FieldProblem[] => [
  ...(spec.policyName ? [] : [required('spec.policyName')]),
  ...(spec.paramRef && !spec.paramRef.name && !spec.paramRef.selector
    ? [required('spec.paramRef', 'one of name or selector must be specified')]
    : []),
  ...(spec.matchResources ? matchResourcesProblems('spec.matchResources', spec.matchResources) : []),
]

const ACTIONS = ['Audit', 'Deny', 'Warn']
const BOTH_ACTIONS =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

const BINDING_COLUMNS = [
  NAME,
  text<AnyBinding>('PolicyName', ({ spec }) => spec?.policyName ?? ''),
  text<AnyBinding>('ParamRef', ({ spec }) => formatParamRef(spec?.paramRef as Loose<ParamRef> | undefined)),
  AGE,
]

const VALIDATING_BINDING = kindTable<ValidatingAdmissionPolicyBinding>({
  ...EXTENSION,
  type: VALIDATING_ADMISSION_POLICY_BINDINGS,
  generation: 'spec',
  columns: BINDING_COLUMNS,
  applyDefaults: ({ spec }) => applyMatchDefaults(spec?.matchResources),
  validate(binding) {
    const actions = (binding.spec?.validationActions ?? []) as string[]
    const field = 'spec.validationActions'
    return [
      ...bindingProblems(binding),
      ...actions.flatMap((action, index) => oneOf(`${field}[${index}]`, action, ACTIONS)),
      ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(field, actions, BOTH_ACTIONS)] : []),
      ...(actions.length === 0 ? [required(field, 'at least one validation action is required')] : []),
    ]
  },
})

const MUTATING_BINDING = kindTable<MutatingAdmissionPolicyBinding>({
  ...EXTENSION,
  type: MUTATING_ADMISSION_POLICY_BINDINGS,
  generation: 'spec',
  columns: BINDING_COLUMNS,
  applyDefaults: ({ spec }) => applyMatchDefaults(spec?.matchResources),
  validate: bindingProblems,
})

export const ADMISSION_KINDS: readonly KindTable[] = [
  VALIDATING_WEBHOOK,
  MUTATING_WEBHOOK,
  VALIDATING_POLICY,
  VALIDATING_BINDING,
  MUTATING_POLICY,
  MUTATING_BINDING,
]
