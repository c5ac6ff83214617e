import type { ResourceType } from '../resource-type.ts'
import type { SelfSubjectReview, TokenReview } from './generated/authentication-v1.ts'

export type {
  BoundObjectReference,
  SelfSubjectReview,
  TokenRequest,
  TokenRequestSpec,
  TokenReview,
  UserInfo,
} from './generated/authentication-v1.ts'

const GROUP = { group: 'authentication.k8s.io', version: 'v1' } as const

export const TOKEN_REVIEWS: ResourceType<TokenReview> = {
  ...GROUP,
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
}

export const SELF_SUBJECT_REVIEWS: ResourceType<SelfSubjectReview> = {
  ...GROUP,
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
}
