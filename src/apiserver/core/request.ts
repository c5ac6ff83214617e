import type { Verb } from './kind-definition.ts'
import type { User } from './user.ts'

/** What a request is about, for authorization and audit: resources, or a path that is none. */
export type RequestAttributes = {
  readonly user: User
  readonly verb: Verb | (string & {})
} & (
  | {
      readonly isResource: true
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
      /** As given in the query, for rules that look at what is listed or watched. */
      readonly fieldSelector?: string
      readonly labelSelector?: string
    }
  | { readonly isResource: false; readonly path: string }
)

/** The answer of an authorizer: no opinion lets the next one speak; its reason is for whoever is refused when nobody allows it. */
export type AuthorizationDecision =
  | { readonly kind: 'allow' | 'deny'; readonly reason: string }
  | { readonly kind: 'no-opinion'; readonly reason?: string }

export interface Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision
}
