import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { StorageFullError } from '../storage/backend.ts'
import { checkOffered } from './check-offered.ts'
import { joinApi } from './join-api.ts'
import type { KindDefinition } from './kind-definition.ts'
import { performRequest } from './perform-request.ts'
import type { PerformParts, SpecialHandler } from './perform-request.ts'
import { noSuchPath } from './refusals.ts'
import { formatForbidden } from './format-forbidden.ts'
import type { AuthorizationDecision, Authorizer, RequestAttributes, ResourceAttributes } from './request.ts'
import type {
  AskedResource,
  ExecuteRequest,
  PerformedRequest,
  RequestContent,
  RequestSource,
  ResourceRequest,
} from './resource-request.ts'
import type { ServerParts } from './server-parts.ts'
import type { User } from './user.ts'

/** The server without its network: every request, however it arrives, goes through `execute`. */
export interface Core {
  readonly parts: ServerParts
  /**
   * The complete path of one request: authorizes it, finds its kind, checks that the kind offers the verb, reads its content, performs it and reports
   * how it ended. Each happens once. Fails with an ApiError.
   */
  execute(...given: Parameters<ExecuteRequest>): ReturnType<ExecuteRequest>
  /** Authorizes, performs and reports a request for a non-resource path. */
  serve<T extends { readonly status: number }>(asked: AskedRequest, act: () => Promise<T>): Promise<T>
  /** For a request that ends before it can be authorized. */
  report(ended: EndedRequest): void
  /** The API as this user sees it, without a network in between. */
  as(user: User, options?: { userAgent?: string }): Api
}

export type AskedRequest = { readonly attributes: RequestAttributes; readonly source: RequestSource }

export type EndedRequest = AskedRequest & {
  /** Absent if the request was rejected before its content was read. */
  readonly request?: ResourceRequest
  /** Absent if the request was rejected before it could be authorized. */
  readonly decision?: AuthorizationDecision
  readonly code: number
  readonly error?: ApiError
  readonly startedMs: number
}

/** Called for each request that has ended. */
export type RequestObserver = (ended: EndedRequest) => void

export type CoreParts = ServerParts & {
  readonly authorizer: Authorizer
  readonly handlers: ReadonlyMap<string, SpecialHandler>
  readonly observe?: RequestObserver
}

export function createCore(parts: CoreParts): Core {
  const report = parts.observe ?? (() => {})
  const run = async <T>(
    asked: AskedRequest & { request?: ResourceRequest },
    act: () => Promise<T>,
    codeOf: (result: T) => number,
  ): Promise<T> => {
    const startedMs = parts.clock.nowMs()
    let decision: AuthorizationDecision = { kind: 'no-opinion' }
    try {
      decision = parts.authorizer.authorize(asked.attributes)
      if (decision.kind !== 'allow') throw formatForbidden(asked.attributes, decision.reason)
      const result = await act()
      report({ ...asked, decision, code: codeOf(result), startedMs })
      return result
    } catch (reason) {
      const error = asApiError(await settledRefusal(parts, asked, reason))
      report({ ...asked, decision, code: error.code, error, startedMs })
      throw error
    }
  }

  const performParts: PerformParts = {
    ...parts,
    authorizeCreation: (request) => {
      const attributes = { ...attributesOf(request), verb: 'create' }
      const decision = parts.authorizer.authorize(attributes)
      if (decision.kind !== 'allow') throw formatForbidden(attributes, decision.reason)
    },
  }
  const execute: ExecuteRequest = (asked, read) => {
    const ending: AskedResource & { request?: ResourceRequest } = { ...asked }
    const perform = async (kind: KindDefinition, content: RequestContent): Promise<PerformedRequest> => {
      const request = requestOf(asked, kind, content)
      ending.request = request
      return { request, response: await performRequest(performParts, request) }
    }
    const act = (): Promise<PerformedRequest> => {
      const { group, version, resource } = asked.attributes
      const kind = parts.kinds.findByResource(group, version, resource)
      if (!kind) throw noSuchPath()
      checkOffered(kind, asked.attributes)
      const content = read(kind)
      // If the content is available immediately, the request is decided immediately: in the turn in which the joined API is called.
      return content instanceof Promise ? content.then((given) => perform(kind, given)) : perform(kind, content)
    }
    return run(ending, act, ({ response }) => ('code' in response ? response.code : 200))
  }
  const serve: Core['serve'] = (asked, act) => run(asked, act, ({ status }) => status)
  const as: Core['as'] = (user, { userAgent = 'holdfast' } = {}) => joinApi(execute, user, userAgent)
  return { parts, execute, serve, report, as }
}

// The performed request is the one that was authorized.
function requestOf(
  { attributes, source }: AskedResource,
  kind: KindDefinition,
  content: RequestContent,
): ResourceRequest {
  const { user, verb, namespace, name, subresource } = attributes
  if (content.verb !== verb) throw new Error(`a request to ${verb} was read as ${content.verb}`)
  return { user, kind, namespace, name, subresource, source, ...content }
}

function attributesOf({ user, verb, kind, namespace, name, subresource }: ResourceRequest): ResourceAttributes {
  const { group, version, plural } = kind.type
  return { user, verb, isResource: true, group, version, resource: plural, subresource, namespace, name }
}

function asApiError(reason: unknown): ApiError {
  if (reason instanceof ApiError) return reason
  if (reason instanceof StorageFullError) return new ApiError('InsufficientStorage', reason.message, { cause: reason })
  return new ApiError(
    'InternalError',
    `Internal error occurred: ${reason instanceof Error ? reason.message : String(reason)}`,
    { cause: reason },
  )
}

const READS: readonly string[] = ['get', 'list', 'watch']

// A write is decided on the newest decided state. If it is rejected, the response depends on that state, and waits until the state is durable; if
// that fails, the reason for the rejection is gone. Authorization does not depend on writes in progress.
async function settledRefusal(
  { store }: CoreParts,
  { request }: { request?: ResourceRequest },
  reason: unknown,
): Promise<unknown> {
  if (!request || READS.includes(request.verb)) return reason
  try {
    await store.settled()
    return reason
  } catch (failure) {
    return failure
  }
}
