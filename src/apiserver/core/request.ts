import type { Verb } from './kind-definition.ts'
import type { User } from './user.ts'

/** The target of a request, for authorization and audit: a resource, or a non-resource path. */
export type RequestAttributes = ResourceAttributes | PathAttributes

export type ResourceAttributes = {
  readonly user: User
  /** Empty for an HTTP method that has no meaning for resources. */
  readonly verb: Verb | (string & {})
  readonly isResource: true
  readonly group: string
  readonly version: string
  readonly resource: string
  /** Empty for the object itself. */
  readonly subresource: string
  /** Empty: none, or all namespaces for a list or watch. */
  readonly namespace: string
  /** Empty for create and deletecollection. For a list or watch: the single name that its selector requires. */
  readonly name: string
  /** As in the query, for rules about what is listed, watched or deleted together. */
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export type PathAttributes = {
  readonly user: User
  readonly verb: string
  readonly isResource: false
  readonly path: string
}

/** The result of an authorizer: no opinion leaves the decision to the next one; its reason is shown if none allows the request. */
export type AuthorizationDecision =
  | { readonly kind: 'allow' | 'deny'; readonly reason: string }
  | { readonly kind: 'no-opinion'; readonly reason?: string }

export interface Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision
}
