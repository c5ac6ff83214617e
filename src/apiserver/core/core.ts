import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { findExactField, parseFieldSelector } from '../../api/field-selector.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import { nextTurn } from '../../base/next-turn.ts'
import { StorageFullError } from '../storage/backend.ts'
import { createObject } from './create-object.ts'
import { deleteObject, deletionStatus } from './delete-object.ts'
import type { KindDefinition } from './kind-definition.ts'
import { joinApi } from './join-api.ts'
import { patchObject } from './patch-object.ts'
import { checkNotAhead, getObject, listObjects } from './read-objects.ts'
import { badRequest, noSuchPath } from './refusals.ts'
import { formatForbidden } from './format-forbidden.ts'
import type { AuthorizationDecision, Authorizer, RequestAttributes } from './request.ts'
import type { RequestHead, RequestSource, ResourceRequest, ResourceResponse } from './resource-request.ts'
import type { ServerParts } from './server-parts.ts'
import type { StoredObject } from './stored-object.ts'
import { updateObject } from './update-object.ts'
import type { User } from './user.ts'
import { watchObjects } from './watch-objects.ts'
import type { WriteRequest } from './write-request.ts'

/** The server without its network: every request, however it came, goes through `execute`. */
export interface Core {
  readonly parts: ServerParts
  /** Authorizes, performs and reports one request. Fails with an ApiError. */
  execute(request: ResourceRequest): Promise<ResourceResponse>
  /** Would the request be allowed? `execute` asks again, and reports. */
  isAllowed(request: RequestHead): boolean
  /** Authorizes, performs and reports what is no request for objects: another path, or one that can only be refused. */
  serve<T extends { readonly status: number }>(asked: AskedRequest, act: () => Promise<T>): Promise<T>
  /** For a request that ends before it can be authorized. */
  report(ended: EndedRequest): void
  /** The API as this user sees it, without a network between. */
  as(user: User, options?: { userAgent?: string }): Api
}

/** Serves a sub-resource or a kind that is answered and not stored. */
export type SpecialHandler = (request: ResourceRequest, parts: ServerParts) => Promise<ResourceResponse>

export type AskedRequest = { readonly attributes: RequestAttributes; readonly source: RequestSource }

export type EndedRequest = AskedRequest & {
  /** Left out: it never became one for an object. */
  readonly request?: ResourceRequest
  /** Left out: it was refused before it could be authorized. */
  readonly decision?: AuthorizationDecision
  readonly code: number
  readonly error?: ApiError
  readonly startedMs: number
}

/** Told about each request that ended. */
export type RequestObserver = (ended: EndedRequest) => void

export type CoreParts = ServerParts & {
  readonly authorizer: Authorizer
  /** By `storage/subresource`, by `*` and a subresource for all kinds that have it, or by `storage` for kinds that are not stored. */
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
      // What somebody may do does not depend on writes under way.
      const error = asApiError(decision.kind === 'allow' ? await settledRefusal(parts, asked, reason) : reason)
      report({ ...asked, decision, code: error.code, error, startedMs })
      throw error
    }
  }
  const execute: Core['execute'] = (request) =>
    run(
      { attributes: attributesOf(request), source: request.source, request },
      () => perform(parts, request),
      (response) => ('code' in response ? response.code : 200),
    )
  const serve: Core['serve'] = (asked, act) => run(asked, act, ({ status }) => status)
  const isAllowed = (request: RequestHead): boolean =>
    parts.authorizer.authorize(attributesOf(request)).kind === 'allow'
  const as: Core['as'] = (user, { userAgent = 'holdfast' } = {}) =>
    joinApi({ kinds: parts.kinds, execute }, user, userAgent)
  return { parts, execute, isAllowed, serve, report, as }
}

function attributesOf(request: RequestHead | ResourceRequest): RequestAttributes {
  const { user, verb, kind, namespace, name, subresource } = request
  const { group, version, plural } = kind.type
  const { fieldSelector, labelSelector } = selectorsOf(request)
  return {
    user,
    verb,
    isResource: true,
    group,
    version,
    resource: plural,
    subresource,
    namespace,
    // Who lists or watches one name asks for that one alone.
    name: name || selectedName(fieldSelector),
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {}),
  }
}

function selectorsOf(request: RequestHead | ResourceRequest): { fieldSelector?: string; labelSelector?: string } {
  return request.verb === 'list' || request.verb === 'watch' || request.verb === 'deletecollection'
    ? (request.options ?? {})
    : {}
}

function selectedName(fieldSelector: string | undefined): string {
  if (!fieldSelector) return ''
  try {
    return findExactField(parseFieldSelector(fieldSelector), 'metadata.name') ?? ''
  } catch {
    // Refused with its reason once the request is allowed at all.
    return ''
  }
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

// A write is judged by the newest decided state. Its refusal is an answer that rests on that state, and waits until it is
// durable; when that fails, there is nothing left to refuse it for.
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

function perform(parts: CoreParts, request: ResourceRequest): Promise<ResourceResponse> {
  const { kind, subresource } = request
  const handler =
    subresource === ''
      ? parts.handlers.get(kind.storage)
      : (parts.handlers.get(`${kind.storage}/${subresource}`) ?? parts.handlers.get(`*/${subresource}`))
  checkVerb(kind, request)
  checkNamespace(kind, request)
  if (handler) return handler(request, parts)
  // Served here: the object itself and its status. Everything else needs a handler.
  if (subresource !== '' && subresource !== 'status') {
    throw new ApiError('NotFound', `${qualifiedResource(kind.type)}/${subresource} is not served by this version`, {
      details: {},
    })
  }
  return performOnObject(parts, request)
}

function checkVerb({ type, verbs, subresources }: KindDefinition, { verb, subresource }: ResourceRequest): void {
  const offered = subresource === '' ? verbs : subresources[subresource]?.verbs
  if (!offered) throw noSuchPath()
  if (!(offered as readonly string[]).includes(verb)) {
    throw new ApiError(
      'MethodNotAllowed',
      `${verb} is not supported on resources of kind "${qualifiedResource(type)}${subresource ? `/${subresource}` : ''}"`,
    )
  }
}

// Over all namespaces there is only reading.
function checkNamespace({ type }: KindDefinition, { verb, namespace }: ResourceRequest): void {
  if (!type.namespaced || namespace !== '') return
  if (verb === 'create') throw badRequest('an empty namespace may not be set during creation')
  if (verb === 'deletecollection')
    throw new ApiError(
      'MethodNotAllowed',
      `deletecollection is not supported over all namespaces on resources of kind "${qualifiedResource(type)}"`,
    )
}

async function performOnObject(parts: CoreParts, request: ResourceRequest): Promise<ResourceResponse> {
  const { kind, namespace, name } = request
  switch (request.verb) {
    case 'get':
      checkNotAhead(parts, request.resourceVersion ?? '')
      return { kind: 'object', code: 200, stored: getObject(parts, kind, namespace, name), warnings: [] }
    case 'list':
      return { kind: 'list', ...(await listObjects(parts, kind, { ...request.options, namespace })), warnings: [] }
    case 'watch':
      return { kind: 'watch', stream: await watchObjects(parts, kind, { ...request.options, namespace }), warnings: [] }
    case 'create': {
      const write = writeRequest(request, request.options)
      return {
        kind: 'object',
        code: 201,
        stored: await createObject(parts, write, request.body),
        warnings: write.warnings,
      }
    }
    case 'update': {
      const write = writeRequest(request, request.options)
      const { stored, created } = await updateObject(parts, write, request.body)
      return { kind: 'object', code: created ? 201 : 200, stored, warnings: write.warnings }
    }
    case 'patch': {
      const write = writeRequest(request, request.options)
      return {
        kind: 'object',
        code: 200,
        stored: await patchObject(parts, write, request.patch),
        warnings: write.warnings,
      }
    }
    case 'delete': {
      const write = writeRequest(request, request.options)
      const { stored, gone } = await deleteObject(parts, write, request.options)
      // An object that is still there is always shown, so that the caller sees what holds it.
      if (kind.deleteAnswer === 'object' || !gone)
        return { kind: 'object', code: 200, stored, warnings: write.warnings }
      return { kind: 'value', code: 200, value: deletionStatus(kind, stored), warnings: write.warnings }
    }
    case 'deletecollection': {
      const write = writeRequest(request, request.options)
      const { items, revision } = await listObjects(parts, kind, { ...request.options, namespace })
      await deleteAll(parts, write, items, request.options)
      return { kind: 'list', items, revision, warnings: write.warnings }
    }
  }
}

// Those that are decided in one turn share a commit; others are served before the next.
const DELETIONS_EACH_TURN = 200

async function deleteAll(
  parts: CoreParts,
  write: WriteRequest,
  items: readonly StoredObject[],
  options: object,
): Promise<void> {
  const turns: Promise<PromiseSettledResult<void>[]>[] = []
  for (let start = 0; start < items.length; start += DELETIONS_EACH_TURN) {
    if (start > 0) await nextTurn()
    turns.push(
      Promise.allSettled(
        items
          .slice(start, start + DELETIONS_EACH_TURN)
          .map(({ object }) => deleteListed(parts, write, object.metadata, options)),
      ),
    )
  }
  for (const deletion of (await Promise.all(turns)).flat()) if (deletion.status === 'rejected') throw deletion.reason
}

async function deleteListed(
  parts: CoreParts,
  write: WriteRequest,
  { namespace = '', name = '' }: { namespace?: string; name?: string },
  options: object,
): Promise<void> {
  try {
    await deleteObject(parts, { ...write, namespace, name }, options)
  } catch (error) {
    // Gone meanwhile is what was asked for.
    if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error
  }
}

type AnyOptions = {
  dryRun?: boolean
  fieldValidation?: WriteRequest['fieldValidation']
  duplicateFields?: readonly string[]
}

/** The part of a request that the write path needs. */
export function writeRequest(
  { kind, user, namespace, name, subresource }: ResourceRequest,
  options: AnyOptions,
): WriteRequest {
  return {
    kind,
    user,
    namespace,
    name,
    subresource,
    dryRun: options.dryRun ?? false,
    fieldValidation: options.fieldValidation ?? 'Ignore',
    warnings: [],
    duplicateFields: options.duplicateFields ?? [],
  }
}

/** An object in a response. */
export const objectResponse = (stored: StoredObject, code: 200 | 201 = 200): ResourceResponse => ({
  kind: 'object',
  code,
  stored,
  warnings: [],
})
