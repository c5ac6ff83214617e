import type { DeleteOptions, ListOptions, Patch, WatchOptions } from '../../api/api.ts'
import type { Status } from '../../api/object.ts'
import type { FieldValidation } from './decode-object.ts'
import type { KindDefinition } from './kind-definition.ts'
import type { Listing } from './read-objects.ts'
import type { ResourceAttributes } from './request.ts'
import type { StoredObject } from './stored-object.ts'
import type { User } from './user.ts'
import type { WatchStream } from './watch-stream.ts'

/** A request for a resource, however it arrived. */
export type ResourceRequest = {
  readonly user: User
  readonly kind: KindDefinition
  /** As in the authorized attributes. */
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly source: RequestSource
} & RequestContent

/** Options and body of a request, by its verb. Bodies are parsed JSON, not yet validated. */
export type RequestContent =
  | {
      readonly verb: 'get'
      /** The response must not be older than this; fails if the revision does not exist yet. */
      readonly resourceVersion?: string
    }
  | { readonly verb: 'list'; readonly options: ListOptions }
  | { readonly verb: 'watch'; readonly options: WatchOptions }
  | { readonly verb: 'deletecollection'; readonly options: ListOptions & DeleteOptions }
  | { readonly verb: 'create'; readonly body: unknown; readonly options: BodyOptions }
  | { readonly verb: 'update'; readonly body: unknown; readonly options: BodyOptions }
  | { readonly verb: 'patch'; readonly patch: Patch; readonly options: BodyOptions }
  | { readonly verb: 'delete'; readonly options: DeleteOptions }

export type RequestOf<Verb extends ResourceRequest['verb']> = Extract<ResourceRequest, { verb: Verb }>

export type BodyOptions = {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  readonly fieldManager?: string
  /** Field paths that occur twice in the body. */
  readonly duplicateFields: readonly string[]
}

/** Where a request came from, for the audit log. */
export type RequestSource = {
  readonly requestUri: string
  readonly userAgent: string
  readonly sourceIps: readonly string[]
  /** The audit ID in the response. Default: the log generates one. */
  readonly auditId?: string
  /** The real user, if the user is impersonated. */
  readonly impersonator?: User
}

/** The result of a request. */
export type ResourceResponse = { readonly warnings: readonly string[] } & (
  | { readonly kind: 'object'; readonly code: 200 | 201 | 202; readonly stored: StoredObject }
  | ({ readonly kind: 'list' } & Listing)
  /** A value that is not stored: a Scale, a TokenRequest, a review, a Status. */
  | { readonly kind: 'value'; readonly code: 200 | 201 | 202; readonly value: object | Status }
  | { readonly kind: 'watch'; readonly stream: WatchStream }
)

/** What the head of a request alone says about it. */
export type AskedResource = { readonly attributes: ResourceAttributes; readonly source: RequestSource }

/**
 * Reads options and body of a request. Called only once the request is authorized and its verb is offered. The verb of the content is that of the
 * attributes.
 */
export type ReadContent = (kind: KindDefinition) => RequestContent | Promise<RequestContent>

export type PerformedRequest = { readonly request: ResourceRequest; readonly response: ResourceResponse }

export type ExecuteRequest = (asked: AskedResource, read: ReadContent) => Promise<PerformedRequest>
