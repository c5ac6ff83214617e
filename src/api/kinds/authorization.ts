import type { ResourceType } from '../resource-type.ts'
import type {
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from './generated/authorization-v1.ts'

export type {
  LocalSubjectAccessReview,
  NonResourceRule,
  ResourceAttributes,
  ResourceRule,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
  SubjectRulesReviewStatus,
} from './generated/authorization-v1.ts'
export type { FieldSelectorRequirement } from './generated/meta-v1.ts'

const GROUP = { group: 'authorization.k8s.io', version: 'v1' } as const

/** Exactly one: an access to a resource, or to a non-resource path. */
export type AccessAttributes = {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

export const SUBJECT_ACCESS_REVIEWS: ResourceType<SubjectAccessReview> = {
  ...GROUP,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
}

export const SELF_SUBJECT_ACCESS_REVIEWS: ResourceType<SelfSubjectAccessReview> = {
  ...GROUP,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
}

export const LOCAL_SUBJECT_ACCESS_REVIEWS: ResourceType<LocalSubjectAccessReview> = {
  ...GROUP,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
}

export const SELF_SUBJECT_RULES_REVIEWS: ResourceType<SelfSubjectRulesReview> = {
  ...GROUP,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
}
