import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Api, ListOptions, Patch, WatchEvent, WatchOptions } from '../../api/api.ts'
import { deepFreeze } from '../../api/freeze.ts'
import type { KubeObject, ObjectList, ObjectRef, Status } from '../../api/object.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import type { AdaptiveLimit, Urgency } from '../../base/adaptive-limit.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Credentials, RequestHeaders } from './credentials.ts'
import type { HttpConnection, HttpResponse } from './http-connection.ts'
import { collectionPath, deleteBody, listQuery, pathOf, queryOf, watchQuery, writeQuery } from './request-paths.ts'
import { NO_LIMIT } from './rate-limit.ts'
import type { RateLimit } from './rate-limit.ts'
import { readLines } from './read-body.ts'
import { readError } from './read-error.ts'

export type HttpApiParts = {
  connection: HttpConnection
  credentials: Credentials
  clock: Clock
  random: Random
  userAgent: string
  /** Default: no limit. The server's own back-pressure (429, Retry-After) is always respected. */
  limit?: RateLimit
  /** Limits how many requests other than lists and watches are under way at once. Default: no limit. */
  turns?: AdaptiveLimit
}

const MOST_TRIES = 10
// Added to the delay that the server requests, so that rejected clients do not all return at once.
const RETRY_JITTER = 0.5
const SHORTEST_RETRY_MS = 100
// For a longer delay the error is returned: the caller decides whether to wait.
const LONGEST_RETRY_MS = 60_000

const PATCH_TYPES: Record<Patch['type'], string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

type Call = {
  method: string
  path: string
  body?: unknown
  contentType?: string
  isEndless?: boolean
  signal?: AbortSignal | undefined
  urgency?: Urgency | undefined
  /** Called when the server refuses the request for now because it is busy. */
  onRefused?(): void
}

/** The `Api` of a remote server. */
export function createHttpApi(parts: HttpApiParts): Api {
  const call = createCaller(parts)
  const answerOf = async <T>(request: Call): Promise<T> => {
    const response = await call(request)
    const text = await response.text().catch((cause: unknown) => {
      throw unanswered(request, cause)
    })
    return parseJson<T>(request, text)
  }
  const callForJson = parts.turns ? inTurn(parts.turns, parts.clock, answerOf) : answerOf

  return {
    get: async (type, ref, { signal, resourceVersion, subresource, urgency } = {}) =>
      deepFreeze(
        await callForJson({
          method: 'GET',
          path: pathOf(type, ref, subresource) + queryOf({ resourceVersion }),
          signal,
          urgency,
        }),
      ),
    list: async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> => {
      const list = await answerOf<RawList<T>>({
        method: 'GET',
        path: collectionPath(type, options.namespace) + listQuery(options),
        signal: options.signal,
      })
      return toObjectList(type, list)
    },
    watch: (type, options = {}) => watchStream(call, type, options),
    create: async (type, object, options = {}) =>
      deepFreeze(
        await callForJson({
          method: 'POST',
          path: collectionPath(type, object.metadata.namespace) + writeQuery(options),
          body: object,
          signal: options.signal,
          urgency: options.urgency,
        }),
      ),
    update: async (type, object, options = {}) =>
      deepFreeze(
        await callForJson({
          method: 'PUT',
          path: pathOf(type, refOf(object), options.subresource) + writeQuery(options),
          body: object,
          signal: options.signal,
          urgency: options.urgency,
        }),
      ),
    patch: async (type, ref, patch, options = {}) => {
      const body = patch.type === 'json' ? patch.operations : patch.value
      const force = patch.type === 'apply' && patch.force === true
      const path = pathOf(type, ref, options.subresource) + writeQuery({ ...options, force })
      return deepFreeze(
        await callForJson({
          method: 'PATCH',
          path,
          body,
          contentType: PATCH_TYPES[patch.type],
          signal: options.signal,
          urgency: options.urgency,
        }),
      )
    },
    delete: async (type, ref, options = {}) =>
      deepFreeze(
        await callForJson({
          method: 'DELETE',
          path: pathOf(type, ref),
          body: deleteBody(options),
          signal: options.signal,
          urgency: options.urgency,
        }),
      ),
    deleteCollection: async (type, options = {}) => {
      await callForJson({
        method: 'DELETE',
        path: collectionPath(type, options.namespace) + listQuery(options),
        body: deleteBody(options),
        signal: options.signal,
      })
    },
    createSubresource: async (type, ref, subresource, body, options = {}) =>
      deepFreeze(
        await callForJson({
          method: 'POST',
          path: pathOf(type, ref, subresource) + writeQuery(options),
          body,
          signal: options.signal,
          urgency: options.urgency,
        }),
      ),
    review: async (type, body, options = {}) =>
      deepFreeze(
        await callForJson({
          method: 'POST',
          path: collectionPath(type, options.namespace),
          body,
          signal: options.signal,
        }),
      ),
  }
}

type Answering = <T>(request: Call) => Promise<T>

/** Each request waits for its turn. A server that asks for patience, or takes too long for its own taste, gets fewer at once. */
function inTurn(turns: AdaptiveLimit, clock: Clock, answerOf: Answering): Answering {
  return async (request) => {
    const turn = turns.enter(request.urgency, request.signal)
    if (turn) await turn
    const startedMs = clock.monotonicMs()
    let isOverloaded = false
    try {
      return await answerOf({ ...request, onRefused: () => void (isOverloaded = true) })
    } catch (error) {
      isOverloaded ||= error instanceof ApiError && error.reason === 'Timeout'
      throw error
    } finally {
      turns.leave(startedMs, isOverloaded, request.urgency)
    }
  }
}

type Caller = (request: Call) => Promise<HttpResponse>

/** Sends a request, retries it if the server asks for that, and turns error responses into ApiErrors. */
function createCaller({ connection, credentials, clock, random, userAgent, limit = NO_LIMIT }: HttpApiParts): Caller {
  const send = (
    { method, path, body, contentType = 'application/json', isEndless = false, signal }: Call,
    proof: RequestHeaders,
  ): Promise<HttpResponse> => {
    const headers = { accept: 'application/json', 'user-agent': userAgent, ...proof }
    const withBody =
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': contentType }, body: formatExactJson(body) }
    return connection.send({ method, path, isEndless, ...withBody, ...(signal ? { signal } : {}) })
  }
  const attempt = async (request: Call): Promise<{ response: HttpResponse; proof: RequestHeaders }> => {
    await limit(request.signal)
    try {
      const proof = await abandonOnAbort(credentials.headers(), request.signal)
      return { response: await send(request, proof), proof }
    } catch (cause) {
      throw unanswered(request, cause)
    }
  }
  return async (request) => {
    let canRefresh = true
    for (let tries = 1; ; tries++) {
      const { response, proof } = await attempt(request)
      if (response.status < 400) return response
      const error = await readError(request, response)
      // The token may have just been replaced.
      if (response.status === 401 && canRefresh && credentials.invalidate(proof)) {
        canRefresh = false
        continue
      }
      const waitMs = retryDelayMs(response, error)
      if (waitMs !== undefined) request.onRefused?.()
      if (waitMs === undefined || waitMs > LONGEST_RETRY_MS || tries >= MOST_TRIES) throw error
      await sleep(clock, Math.max(waitMs, SHORTEST_RETRY_MS) * (1 + RETRY_JITTER * random.fraction()), request.signal)
    }
  }
}

// A server that requests a retry has not processed the request.
function retryDelayMs({ status, headers }: HttpResponse, error: ApiError): number | undefined {
  if (status === 429) return error.retryAfterMs ?? 1000
  return status >= 500 && headers['retry-after'] !== undefined ? error.retryAfterMs : undefined
}

/** The error if no response arrived: the reason of the signal if it has aborted. */
function unanswered({ method, path, signal }: Call, cause: unknown): unknown {
  if (signal?.aborted) return signal.reason
  return new ApiError(
    'ServiceUnavailable',
    `${method} ${path}: no answer: ${cause instanceof Error ? cause.message : String(cause)}`,
    { code: 0, cause },
  )
}

function parseJson<T>(request: Call, text: string): T {
  try {
    return parseExactJson(text) as T
  } catch (cause) {
    throw new ApiError('InternalError', `${request.method} ${request.path}: the answer is not JSON`, { cause })
  }
}

type RawList<T> = {
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  items?: T[] | null
}

// List items may omit apiVersion and kind, which the list has for all of them.
function toObjectList<T extends KubeObject>(
  type: ResourceType<T>,
  { metadata = {}, items }: RawList<T>,
): ObjectList<T> {
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

async function* watchStream<T extends KubeObject>(
  call: Caller,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  const request: Call = {
    method: 'GET',
    path: collectionPath(type, options.namespace) + watchQuery(options),
    isEndless: true,
    signal: options.signal,
  }
  const response = await call(request)
  try {
    for await (const line of readLines(response.body)) {
      if (line !== '') yield toWatchEvent<T>(request, parseJson<RawEvent<T>>(request, line))
    }
  } catch (error) {
    throw error instanceof ApiError ? error : unanswered(request, error)
  }
  options.signal?.throwIfAborted()
}

function toWatchEvent<T extends KubeObject>(request: Call, { type, object }: RawEvent<T>): WatchEvent<T> {
  const bad = (problem: string): ApiError =>
    new ApiError('InternalError', `${request.method} ${request.path}: the server sent an event ${problem}`)
  if (typeof object?.metadata !== 'object' && type !== 'ERROR') throw bad('without an object')
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
      throw bad(`of unknown type ${JSON.stringify(type)}`)
  }
}

const refOf = ({ metadata: { namespace, name = '' } }: KubeObject): ObjectRef => ({
  name,
  ...(namespace ? { namespace } : {}),
})
