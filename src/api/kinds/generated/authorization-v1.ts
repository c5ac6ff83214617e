// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { FieldSelectorRequirement, LabelSelectorRequirement } from './meta-v1.ts'

export type FieldSelectorAttributes = {
  readonly rawSelector?: string
  readonly requirements?: readonly FieldSelectorRequirement[]
}

export type LabelSelectorAttributes = {
  readonly rawSelector?: string
  readonly requirements?: readonly LabelSelectorRequirement[]
}

/** Asks whether a user may perform an action in a namespace. */
export type LocalSubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'LocalSubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

export type NonResourceAttributes = {
  readonly path?: string
  readonly verb?: string
}

export type NonResourceRule = {
  readonly verbs: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export type ResourceAttributes = {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: FieldSelectorAttributes
  readonly labelSelector?: LabelSelectorAttributes
}

export type ResourceRule = {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** Asks whether the current user may perform an action. */
export type SelfSubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'SelfSubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SelfSubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

export type SelfSubjectAccessReviewSpec = {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
}

/** Lists what the current user may do in a namespace. */
export type SelfSubjectRulesReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'SelfSubjectRulesReview'
  readonly metadata: ObjectMeta
  readonly spec: SelfSubjectRulesReviewSpec
  readonly status?: SubjectRulesReviewStatus
}

export type SelfSubjectRulesReviewSpec = {
  readonly namespace?: string
}

/** Asks whether a user may perform an action. */
export type SubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'SubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

export type SubjectAccessReviewSpec = {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly uid?: string
}

export type SubjectAccessReviewStatus = {
  readonly allowed: boolean
  /** Denied explicitly, rather than allowed by no authorizer. */
  readonly denied?: boolean
  readonly reason?: string
  readonly evaluationError?: string
}

export type SubjectRulesReviewStatus = {
  readonly resourceRules: readonly ResourceRule[] | null
  readonly nonResourceRules: readonly NonResourceRule[] | null
  /** True if the list of rules is incomplete. */
  readonly incomplete: boolean
  readonly evaluationError?: string
}
