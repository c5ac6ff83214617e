// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'

export type BoundObjectReference = {
  readonly kind?: 'Pod' | 'Secret' | 'Node'
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

/** Identifies the current user. */
export type SelfSubjectReview = {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'SelfSubjectReview'
  readonly metadata: ObjectMeta
  readonly status?: SelfSubjectReviewStatus
}

export type SelfSubjectReviewStatus = {
  readonly userInfo?: UserInfo
}

/** Requests a token of a service account. Posted to the `token` subresource; the response has the status. */
export type TokenRequest = {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'TokenRequest'
  readonly metadata: ObjectMeta
  readonly spec: TokenRequestSpec
  readonly status?: TokenRequestStatus
}

export type TokenRequestSpec = {
  /** Empty means the API server's own audience. */
  readonly audiences: readonly string[] | null
  /** Default 3600, at least 600. */
  readonly expirationSeconds?: number | null
  /** The token is valid only as long as this object exists. */
  readonly boundObjectRef?: BoundObjectReference | null
}

export type TokenRequestStatus = {
  readonly token: string
  readonly expirationTimestamp: string | null
}

/** Identifies the user of a token. */
export type TokenReview = {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'TokenReview'
  readonly metadata: ObjectMeta
  readonly spec: TokenReviewSpec
  readonly status?: TokenReviewStatus
}

export type TokenReviewSpec = {
  readonly token?: string
  readonly audiences?: readonly string[]
}

export type TokenReviewStatus = {
  readonly authenticated?: boolean
  readonly user?: UserInfo
  readonly audiences?: readonly string[]
  readonly error?: string
}

export type UserInfo = {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}
