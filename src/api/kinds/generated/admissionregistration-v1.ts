// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { Condition, LabelSelector } from './meta-v1.ts'

export type ApplyConfiguration = {
  readonly expression?: string
}

export type AuditAnnotation = {
  readonly key: string
  readonly valueExpression: string
}

export type ExpressionWarning = {
  readonly fieldRef: string
  readonly warning: string
}

export type JSONPatch = {
  readonly expression?: string
}

export type MatchCondition = {
  readonly name: string
  readonly expression: string
}

export type MatchResources = {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly NamedRuleWithOperations[]
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[]
  readonly matchPolicy?: string
}

export type MutatingAdmissionPolicy = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: 'MutatingAdmissionPolicy'
  readonly metadata: ObjectMeta
  readonly spec?: MutatingAdmissionPolicySpec
}

export type MutatingAdmissionPolicyBinding = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: 'MutatingAdmissionPolicyBinding'
  readonly metadata: ObjectMeta
  readonly spec?: MutatingAdmissionPolicyBindingSpec
}

export type MutatingAdmissionPolicyBindingSpec = {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
}

export type MutatingAdmissionPolicySpec = {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly variables?: readonly Variable[]
  readonly mutations?: readonly Mutation[]
  readonly failurePolicy?: string
  readonly matchConditions?: readonly MatchCondition[]
  readonly reinvocationPolicy?: string
}

export type MutatingWebhook = {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly reinvocationPolicy?: string
  readonly matchConditions?: readonly MatchCondition[]
}

export type MutatingWebhookConfiguration = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: 'MutatingWebhookConfiguration'
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly MutatingWebhook[]
}

export type Mutation = {
  readonly patchType: string
  readonly applyConfiguration?: ApplyConfiguration
  readonly jsonPatch?: JSONPatch
}

export type NamedRuleWithOperations = {
  readonly resourceNames?: readonly string[]
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
}

export type ParamKind = {
  readonly apiVersion?: string
  readonly kind?: string
}

export type ParamRef = {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

export type RuleWithOperations = {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
}

export type ServiceReference = {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export type TypeChecking = {
  readonly expressionWarnings?: readonly ExpressionWarning[]
}

export type ValidatingAdmissionPolicy = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: 'ValidatingAdmissionPolicy'
  readonly metadata: ObjectMeta
  readonly spec?: ValidatingAdmissionPolicySpec
  readonly status?: ValidatingAdmissionPolicyStatus
}

export type ValidatingAdmissionPolicyBinding = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: 'ValidatingAdmissionPolicyBinding'
  readonly metadata: ObjectMeta
  readonly spec?: ValidatingAdmissionPolicyBindingSpec
}

export type ValidatingAdmissionPolicyBindingSpec = {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions?: readonly string[]
}

export type ValidatingAdmissionPolicySpec = {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly validations?: readonly Validation[]
  readonly failurePolicy?: string
  readonly auditAnnotations?: readonly AuditAnnotation[]
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
}

export type ValidatingAdmissionPolicyStatus = {
  readonly observedGeneration?: number
  readonly typeChecking?: TypeChecking
  readonly conditions?: readonly Condition[]
}

export type ValidatingWebhook = {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly matchConditions?: readonly MatchCondition[]
}

export type ValidatingWebhookConfiguration = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: 'ValidatingWebhookConfiguration'
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly ValidatingWebhook[]
}

export type Validation = {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

export type Variable = {
  readonly name: string
  readonly expression: string
}

export type WebhookClientConfig = {
  readonly url?: string
  readonly service?: ServiceReference
  readonly caBundle?: string
}
