import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { LabelSelectorRequirement } from './selectors.ts'

const GROUP = { group: 'authorization.k8s.io', version: 'v1' } as const

export type ResourceAttributes = {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly labelSelector?: {
    readonly rawSelector?: string
    readonly requirements?: readonly LabelSelectorRequirement[]
  }
  readonly fieldSelector?: {
    readonly rawSelector?: string
    readonly requirements?: readonly FieldSelectorRequirement[]
  }
}

export type FieldSelectorRequirement = {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** One of the two: what is to be done to a resource, or to a path that is none. */
export type AccessAttributes = {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

export type SubjectAccessReviewSpec = AccessAttributes & {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export type SubjectAccessReviewStatus = {
  readonly allowed: boolean
  /** Refused outright, as against: nobody allowed it. */
  readonly denied?: boolean
  readonly reason?: string
  readonly evaluationError?: string
}

/** May this user do that? */
export type SubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'SubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

export const SUBJECT_ACCESS_REVIEWS: ResourceType<SubjectAccessReview> = {
  ...GROUP,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
}

/** May I do that? */
export type SelfSubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'SelfSubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: AccessAttributes
  readonly status?: SubjectAccessReviewStatus
}

export const SELF_SUBJECT_ACCESS_REVIEWS: ResourceType<SelfSubjectAccessReview> = {
  ...GROUP,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
}

/** May this user do that in this namespace? */
export type LocalSubjectAccessReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'LocalSubjectAccessReview'
  readonly metadata: ObjectMeta
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

export const LOCAL_SUBJECT_ACCESS_REVIEWS: ResourceType<LocalSubjectAccessReview> = {
  ...GROUP,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
}

/** What may I do in this namespace? */
export type SelfSubjectRulesReview = {
  readonly apiVersion: 'authorization.k8s.io/v1'
  readonly kind: 'SelfSubjectRulesReview'
  readonly metadata: ObjectMeta
  readonly spec: { readonly namespace?: string }
  readonly status?: SubjectRulesReviewStatus
}

export const SELF_SUBJECT_RULES_REVIEWS: ResourceType<SelfSubjectRulesReview> = {
  ...GROUP,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
}

export type SubjectRulesReviewStatus = {
  readonly resourceRules: readonly ResourceRule[] | null
  readonly nonResourceRules: readonly NonResourceRule[] | null
  /** True when a part of the rules could not be read. */
  readonly incomplete: boolean
  readonly evaluationError?: string
}

export type ResourceRule = {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export type NonResourceRule = { readonly verbs: readonly string[]; readonly nonResourceURLs?: readonly string[] }
