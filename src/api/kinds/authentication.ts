import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

const GROUP = { group: 'authentication.k8s.io', version: 'v1' } as const

/** Asks for a token of a service account. Posted to its `token`; the answer has the status. */
export type TokenRequest = {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'TokenRequest'
  readonly metadata: ObjectMeta
  readonly spec: TokenRequestSpec
  readonly status?: { readonly token: string; readonly expirationTimestamp: string | null }
}

export type TokenRequestSpec = {
  /** Empty: the API server's own. */
  readonly audiences: readonly string[] | null
  /** Default 3600, at least 600. */
  readonly expirationSeconds?: number | null
  /** The token is good only as long as this object exists. */
  readonly boundObjectRef?: BoundObjectReference | null
}

export type BoundObjectReference = {
  readonly kind?: 'Pod' | 'Secret' | 'Node'
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

export type UserInfo = {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Whose token is this? */
export type TokenReview = {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'TokenReview'
  readonly metadata: ObjectMeta
  readonly spec: { readonly token?: string; readonly audiences?: readonly string[] }
  readonly status?: {
    readonly authenticated?: boolean
    readonly user?: UserInfo
    readonly audiences?: readonly string[]
    readonly error?: string
  }
}

export const TOKEN_REVIEWS: ResourceType<TokenReview> = {
  ...GROUP,
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
}

/** Who am I? */
export type SelfSubjectReview = {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'SelfSubjectReview'
  readonly metadata: ObjectMeta
  readonly status?: { readonly userInfo?: UserInfo }
}

export const SELF_SUBJECT_REVIEWS: ResourceType<SelfSubjectReview> = {
  ...GROUP,
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
}
