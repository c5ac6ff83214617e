import type { Verb } from './kind-definition.ts'
import type { User } from './user.ts'

/** What a request is about, for authorization and audit: resources, or a path that is none. */
export type RequestAttributes = ResourceAttributes | PathAttributes

export type ResourceAttributes = {
  readonly user: User
  /** Empty for an HTTP method that means nothing to resources. */
  readonly verb: Verb | (string & {})
  readonly isResource: true
  readonly group: string
  readonly version: string
  readonly resource: string
  /** Empty for the object itself. */
  readonly subresource: string
  /** Empty: none, or all namespaces for a list or watch. */
  readonly namespace: string
  /** Empty for create and deletecollection. Of a list or watch: the one name that its selector limits it to. */
  readonly name: string
  /** As given in the query, for rules that look at what is listed, watched or deleted together. */
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export type PathAttributes = {
  readonly user: User
  readonly verb: string
  readonly isResource: false
  readonly path: string
}

/** The answer of an authorizer: no opinion leaves the decision to the next one; its reason is shown if none allows the request. */
export type AuthorizationDecision =
  | { readonly kind: 'allow' | 'deny'; readonly reason: string }
  | { readonly kind: 'no-opinion'; readonly reason?: string }

export interface Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision
}
