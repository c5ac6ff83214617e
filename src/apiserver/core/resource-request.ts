import type { DeleteOptions, ListOptions, Patch, WatchOptions } from '../../api/api.ts'
import type { Status } from '../../api/object.ts'
import type { FieldValidation } from './decode-object.ts'
import type { KindDefinition } from './kind-definition.ts'
import type { StoredObject } from './stored-object.ts'
import type { User } from './user.ts'
import type { WatchStream } from './watch-stream.ts'

/** A request for a resource, whichever way it came. Bodies are parsed JSON, not yet looked at. */
export type ResourceRequest = {
  readonly user: User
  readonly kind: KindDefinition
  /** Empty: none, or all namespaces for a list or watch. */
  readonly namespace: string
  /** Empty for list, watch, create and deletecollection. */
  readonly name: string
  /** Empty for the object itself. */
  readonly subresource: string
  readonly source: RequestSource
} & (
  | {
      readonly verb: 'get'
      /** The answer is not older than this; refused when there is no such revision yet. */
      readonly resourceVersion?: string
    }
  | { readonly verb: 'list'; readonly options: ListOptions }
  | { readonly verb: 'watch'; readonly options: WatchOptions }
  | { readonly verb: 'deletecollection'; readonly options: ListOptions & DeleteOptions }
  | { readonly verb: 'create' | 'update'; readonly body: unknown; readonly options: BodyOptions }
  | { readonly verb: 'patch'; readonly patch: Patch; readonly options: BodyOptions }
  | { readonly verb: 'delete'; readonly options: DeleteOptions }
)

/** What is known of a request before its body is read: enough to say whether it is allowed. */
export type RequestHead = Pick<ResourceRequest, 'user' | 'kind' | 'namespace' | 'name' | 'subresource' | 'verb'> & {
  readonly options?: { readonly fieldSelector?: string; readonly labelSelector?: string }
}

export type BodyOptions = {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  readonly fieldManager?: string
  /** Field paths that stood twice in the text of the body. */
  readonly duplicateFields: readonly string[]
}

/** Where a request came from, for the audit log. */
export type RequestSource = {
  readonly requestUri: string
  readonly userAgent: string
  readonly sourceIps: readonly string[]
  /** What the answer calls the request; left out: the log gives it a name of its own. */
  readonly auditId?: string
  /** Who really asks, when the user is somebody else. */
  readonly impersonator?: User
}

/** What there is to answer. */
export type ResourceResponse = { readonly warnings: readonly string[] } & (
  | { readonly kind: 'object'; readonly code: 200 | 201 | 202; readonly stored: StoredObject }
  | { readonly kind: 'list'; readonly items: readonly StoredObject[]; readonly revision: number }
  /** Something that is not stored: a Scale, a TokenRequest, a review, a Status. */
  | { readonly kind: 'value'; readonly code: 200 | 201 | 202; readonly value: object | Status }
  | { readonly kind: 'watch'; readonly stream: WatchStream }
)
