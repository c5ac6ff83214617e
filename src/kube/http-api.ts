import { ApiError } from '../api/api-error.ts'
import type { Api, DeleteOptions, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from '../api/api.ts'
import { deepFreeze } from '../api/freeze.ts'
import type { KubeObject, ObjectList, ObjectRef, Status } from '../api/object.ts'
import { apiVersionOf } from '../api/resource-type.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Credentials } from './credentials.ts'
import type { HttpConnection, HttpResponse } from './http-connection.ts'
import { NO_LIMIT } from './rate-limit.ts'
import type { RateLimit } from './rate-limit.ts'
import { readLines, readText } from './read-body.ts'

export type HttpApiParts = {
  connection: HttpConnection
  credentials: Credentials
  clock: Clock
  random: Random
  userAgent: string
  /** Default: none. The server's own back-pressure (429, Retry-After) is always respected. */
  limit?: RateLimit
}

const MOST_TRIES = 10
// Added to what the server asks for, so that those it turned away don't come back as one.
const RETRY_JITTER = 0.5

const PATCH_TYPES: Record<Patch['type'], string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

type Call = { method: string; path: string; body?: unknown; contentType?: string; signal?: AbortSignal | undefined }

/** The `Api` of a server somewhere else. */
export function createHttpApi(parts: HttpApiParts): Api {
  const call = createCaller(parts)
  const callForJson = async <T>(request: Call): Promise<T> => {
    const response = await call(request)
    const text = await readText(response.body).catch((cause: unknown) => {
      throw unanswered(request, cause)
    })
    return parseJson<T>(request, text)
  }

  return {
    get: async (type, ref, { signal, resourceVersion, subresource } = {}) =>
      deepFreeze(await callForJson({ method: 'GET', path: pathOf(type, ref, subresource) + queryOf({ resourceVersion }), signal })),
    list: async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> => {
      const list = await callForJson<RawList<T>>({ method: 'GET', path: collectionPath(type, options.namespace) + listQuery(options), signal: options.signal })
      return toObjectList(type, list)
    },
    watch: (type, options = {}) => watchStream(call, type, options),
    create: async (type, object, options = {}) =>
      deepFreeze(await callForJson({ method: 'POST', path: collectionPath(type, object.metadata.namespace) + writeQuery(options), body: object, signal: options.signal })),
    update: async (type, object, options = {}) =>
      deepFreeze(await callForJson({ method: 'PUT', path: pathOf(type, refOf(object), options.subresource) + writeQuery(options), body: object, signal: options.signal })),
    patch: async (type, ref, patch, options = {}) => {
      const body = patch.type === 'json' ? patch.operations : patch.value
      const path = pathOf(type, ref, options.subresource) + writeQuery(options)
      return deepFreeze(await callForJson({ method: 'PATCH', path, body, contentType: PATCH_TYPES[patch.type], signal: options.signal }))
    },
    delete: async (type, ref, options = {}) =>
      deepFreeze(await callForJson({ method: 'DELETE', path: pathOf(type, ref), body: deleteBody(options), signal: options.signal })),
    deleteCollection: async (type, options = {}) => {
      await callForJson({ method: 'DELETE', path: collectionPath(type, options.namespace) + listQuery(options), body: deleteBody(options), signal: options.signal })
    },
    createSubresource: async (type, ref, subresource, body, options = {}) =>
      deepFreeze(await callForJson({ method: 'POST', path: pathOf(type, ref, subresource) + writeQuery(options), body, signal: options.signal })),
    review: async (type, body, options = {}) =>
      deepFreeze(await callForJson({ method: 'POST', path: collectionPath(type, options.namespace), body, signal: options.signal })),
  }
}

type Caller = (request: Call) => Promise<HttpResponse>

/** Sends a request, again where the server asks for that, and turns refusals into ApiErrors. */
function createCaller({ connection, credentials, clock, random, userAgent, limit = NO_LIMIT }: HttpApiParts): Caller {
  const send = async ({ method, path, body, contentType = 'application/json', signal }: Call): Promise<HttpResponse> => {
    const headers = { accept: 'application/json', 'user-agent': userAgent, ...(await credentials.headers()) }
    const withBody = body === undefined ? { headers } : { headers: { ...headers, 'content-type': contentType }, body: JSON.stringify(body) }
    return connection.send({ method, path, ...withBody, ...(signal ? { signal } : {}) })
  }
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      request.signal?.throwIfAborted()
      await limit(request.signal)
      const response = await send(request).catch((cause: unknown) => {
        throw request.signal?.aborted ? request.signal.reason : unanswered(request, cause)
      })
      if (response.status < 400) return response
      const error = await readError(request, response)
      if (response.status === 401 && attempt === 1) {
        // The token may have been replaced a moment ago.
        credentials.invalidate()
        continue
      }
      const waitMs = retryDelayMs(response, error)
      if (waitMs === undefined || attempt >= MOST_TRIES) throw error
      await sleep(clock, waitMs * (1 + RETRY_JITTER * random.fraction()), request.signal)
    }
  }
}

// A server that names a time to come back has done nothing with the request.
function retryDelayMs({ status, headers }: HttpResponse, error: ApiError): number | undefined {
  if (status !== 429 && status < 500) return undefined
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  if (Number.isFinite(seconds)) return seconds * 1000
  return status === 429 ? (error.retryAfterMs ?? 1000) : undefined
}

const unanswered = ({ method, path }: Call, cause: unknown): ApiError =>
  new ApiError('ServiceUnavailable', `${method} ${path}: no answer: ${cause instanceof Error ? cause.message : String(cause)}`, { code: 0, cause })

async function readError(request: Call, response: HttpResponse): Promise<ApiError> {
  const text = await readText(response.body).catch(() => '')
  try {
    const status = JSON.parse(text) as Status
    if (status.kind === 'Status') return ApiError.fromStatus({ code: response.status, ...status })
  } catch {
    // Said below with what there is: a proxy in between does not speak in Status objects.
  }
  const reasons: Record<number, string> = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 409: 'Conflict', 410: 'Expired', 429: 'TooManyRequests' }
  const reason = reasons[response.status] ?? (response.status >= 500 ? 'InternalError' : 'BadRequest')
  return new ApiError(reason, `${request.method} ${request.path}: HTTP ${response.status}: ${text.slice(0, 200)}`, { code: response.status })
}

function parseJson<T>(request: Call, text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw new ApiError('InternalError', `${request.method} ${request.path}: the answer is not JSON`, { cause })
  }
}

type RawList<T> = { metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number }; items?: T[] | null }

// Items of a list may leave out what the list says for all of them.
function toObjectList<T extends KubeObject>(type: ResourceType<T>, { metadata = {}, items }: RawList<T>): ObjectList<T> {
  const common = { apiVersion: apiVersionOf(type), kind: type.kind }
  return {
    items: (items ?? []).map((item) => deepFreeze(item.kind ? item : { ...common, ...item })),
    resourceVersion: metadata.resourceVersion ?? '',
    ...(metadata.continue ? { continueToken: metadata.continue } : {}),
    ...(metadata.remainingItemCount === undefined ? {} : { remainingItemCount: metadata.remainingItemCount }),
  }
}

type RawEvent<T> = { type: string; object: T | Status }
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

async function* watchStream<T extends KubeObject>(call: Caller, type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void> {
  const request: Call = { method: 'GET', path: collectionPath(type, options.namespace) + watchQuery(options), signal: options.signal }
  const response = await call(request)
  try {
    for await (const line of readLines(response.body)) {
      if (line !== '') yield toWatchEvent<T>(parseJson<RawEvent<T>>(request, line))
    }
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason
    throw error instanceof ApiError ? error : unanswered(request, error)
  } finally {
    response.body.destroy()
  }
  options.signal?.throwIfAborted()
}

function toWatchEvent<T extends KubeObject>({ type, object }: RawEvent<T>): WatchEvent<T> {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: deepFreeze(object as T) }
    case 'BOOKMARK': {
      const { resourceVersion = '', annotations = {} } = (object as T).metadata
      return { type, resourceVersion, initialEventsEnd: annotations[INITIAL_EVENTS_END] === 'true' }
    }
    case 'ERROR':
      throw ApiError.fromStatus(object as Status)
    default:
      throw new ApiError('InternalError', `the server sent a watch event of unknown type ${JSON.stringify(type)}`)
  }
}

const refOf = ({ metadata: { namespace, name = '' } }: KubeObject): ObjectRef => ({ name, ...(namespace ? { namespace } : {}) })

function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
  return type.namespaced && namespace ? `${root}/namespaces/${encodeURIComponent(namespace)}/${type.plural}` : `${root}/${type.plural}`
}

function pathOf(type: ResourceType, { namespace, name }: ObjectRef, subresource?: string): string {
  if (name === '') throw new ApiError('BadRequest', `a name is needed to ask for one of ${type.plural}`)
  return `${collectionPath(type, namespace)}/${encodeURIComponent(name)}${subresource ? `/${subresource}` : ''}`
}

function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) if (value !== undefined && value !== '') query.set(key, String(value))
  return query.size > 0 ? `?${query}` : ''
}

const selectorsOf = ({ labelSelector, fieldSelector }: { labelSelector?: string; fieldSelector?: string }) => ({ labelSelector, fieldSelector })

const listQuery = (options: ListOptions): string => {
  const { resourceVersion, resourceVersionMatch, limit, continueToken } = options
  return queryOf({ ...selectorsOf(options), resourceVersion, resourceVersionMatch, limit, continue: continueToken })
}

const watchQuery = (options: WatchOptions): string => {
  const { resourceVersion, resourceVersionMatch, allowBookmarks, sendInitialEvents, timeoutSeconds } = options
  return queryOf({ watch: true, ...selectorsOf(options), resourceVersion, resourceVersionMatch, allowWatchBookmarks: allowBookmarks, sendInitialEvents, timeoutSeconds })
}

const writeQuery = ({ dryRun, fieldManager, fieldValidation }: WriteOptions): string => queryOf({ dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation })

function deleteBody({ gracePeriodSeconds, preconditions, propagationPolicy, dryRun }: DeleteOptions): object {
  return { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds, preconditions, propagationPolicy, ...(dryRun ? { dryRun: ['All'] } : {}) }
}
