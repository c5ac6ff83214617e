import { ApiError } from '../../api/api-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Authentication, Credentials } from '../authentication/authenticator.ts'
import type { ResourceAttributes } from '../core/request.ts'
import type { RequestSource, ResourceResponse } from '../core/resource-request.ts'
import { badRequest, noSuchPath } from '../core/refusals.ts'
import { ANONYMOUS, NOBODY } from '../core/user.ts'
import type { User } from '../core/user.ts'
import { asApiError, baseHeaders, errorAnswer, JSON_TYPE, jsonAnswer, sendAnswer } from './answer.ts'
import type { Answer, Sending } from './answer.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { CoreDoor } from './core-door.ts'
import { readCredentials } from './credentials.ts'
import { createEventTexts } from './event-text.ts'
import type { Holding } from './byte-budget.ts'
import type { AnswerHeaders, Exchange } from './exchange.ts'
import { createTurn } from './fair-queue.ts'
import type { FairQueue, Turn } from './fair-queue.ts'
import { formatResponse } from './format-response.ts'
import { errorEncoding, negotiate } from './negotiate.ts'
import type { Representation } from './negotiate.ts'
import { parseIncludeObject } from './parse-options.ts'
import { parseRequestInfo } from './parse-request-info.ts'
import type { RequestInfo, ResourceInfo } from './parse-request-info.ts'
import { parseTarget } from './parse-target.ts'
import type { RequestTarget } from './parse-target.ts'
import { createPathHandler } from './path-handler.ts'
import type { PathParts } from './path-handler.ts'
import { isSet } from './query-values.ts'
import { tooManyRequests } from './refusals.ts'
import { resourceAttributes } from './request-attributes.ts'
import { admitRequest } from './request-costs.ts'
import type { RequestCosts } from './request-costs.ts'
import { checkPath, readContent } from './resource-handler.ts'
import { serveWatch } from './serve-watch.ts'
import { formatWarnings } from './warning-header.ts'
import { yamlOfJson, yamlOfPieces } from './yaml.ts'
import { createYamlThreads } from './yaml-threads.ts'

/** What is needed to answer requests. */
export type HandlerParts = Omit<PathParts, 'kinds'> & {
  readonly door: CoreDoor
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly costs: RequestCosts
  readonly queue: FairQueue
  /** Counts watches while they are open. Default: not counted. */
  watchStarted?(attributes: ResourceAttributes): () => void
  /** The stats of a node in this process; undefined for other nodes. Default: none. */
  nodeStats?(node: string): object | undefined
}

/** The requested form of the response. */
type AnswerForm = {
  readonly representation: Representation
  readonly includeObject: ReturnType<typeof parseIncludeObject>
}

/** A request whose user is known. */
type IdentifiedRequest<Info extends RequestInfo = RequestInfo> = {
  readonly exchange: Exchange
  readonly target: RequestTarget
  readonly info: Info
  readonly user: User
  readonly source: RequestSource
}

/** Answers one request. Never fails: errors are sent to the client, and logged if they are the server's fault. */
export type RequestHandler = (exchange: Exchange) => Promise<void>

export function createRequestHandler(parts: HandlerParts): RequestHandler {
  const { door, clock, log, costs } = parts
  const answerPath = createPathHandler({ ...parts, kinds: door.kinds })
  const eventTexts = createEventTexts()
  const parseYaml = createYamlThreads(clock)
  const nextAuditId = createAuditIds(parts.random)

  const identify = async (exchange: Exchange): Promise<Authentication> => {
    try {
      return await parts.authenticate(readCredentials(exchange))
    } catch (error) {
      return { error: asApiError(error) }
    }
  }

  const send = (exchange: Exchange, answer: Answer, auditId: string): Promise<void> =>
    sendAnswer(exchange, answer, { auditId, unread: costs.unreadAnswers })

  const answerOther = async ({ headers }: Exchange, target: RequestTarget, verb: string): Promise<Answer> => {
    if (verb !== 'get' && verb !== 'head')
      throw new ApiError('MethodNotAllowed', `${verb} is not supported on the path ${target.path}`)
    const answer = await answerPath(target, headers)
    if (!answer) throw noSuchPath()
    return answer
  }

  const answerResource = async (
    given: IdentifiedRequest<ResourceInfo>,
    holding: Holding,
    turn: Turn,
  ): Promise<void> => {
    const { exchange, target, info, user, source } = given
    const auditId = source.auditId ?? ''
    const form = createAnswerForm(given)
    const attributes = resourceAttributes(info, target.query, user)
    const { request, response } = await door.execute({ attributes, source }, (kind) => {
      checkPath(kind, info)
      form(kind)
      if (info.verb === 'watch') refuseUpgrade(exchange)
      // The turn comes after the body: a client that sends slowly takes no seat meanwhile.
      return turn.after(readContent(kind, { exchange, target, info, parseYaml, bodyLimits: costs.bodyLimits(holding) }))
    })
    const { kind } = request
    if (response.kind === 'watch') {
      const headers: AnswerHeaders = { ...baseHeaders(auditId), 'content-type': JSON_TYPE, ...warningHeaders(response) }
      const format = eventTexts.formatterFor({ kind, ...form(), nowMs: () => clock.nowMs() })
      // An open watch does no work until something changes.
      turn.end()
      const ended = parts.watchStarted?.(attributes)
      try {
        return await serveWatch(exchange, { stream: response.stream, format, headers })
      } finally {
        ended?.()
      }
    }
    // Checked again before the text is created: if many lists arrive together, memory was still free when each was admitted.
    if ((request.verb === 'get' || request.verb === 'list') && !holding.hasRoom) throw tooManyRequests()
    const json = formatResponse(response, {
      kind,
      ...form(),
      nowMs: clock.nowMs(),
      pretty: isSet(target.query, 'pretty'),
    })
    holding.add(sizeOf(response, json))
    return send(exchange, await encodeAnswer(response, json, form().representation), auditId)
  }

  const answer = async (given: IdentifiedRequest, holding: Holding, turn: Turn): Promise<void> => {
    const { exchange, target, info, user, source } = given
    const stats = info.isResource && isStatsPath(info, target) ? parts.nodeStats?.(info.name) : undefined
    if (info.isResource && stats) {
      const attributes = resourceAttributes(info, target.query, user)
      const served = await door.serve({ attributes, source }, () => Promise.resolve(jsonAnswer(stats)))
      return send(exchange, served, source.auditId ?? '')
    }
    if (info.isResource) return answerResource({ ...given, info }, holding, turn)
    const other = await door.serve({ attributes: { user, ...info }, source }, async () => {
      await turn.after(undefined)
      return answerOther(exchange, target, info.verb)
    })
    holding.add(other.body?.length ?? 0)
    return send(exchange, other, source.auditId ?? '')
  }

  const handle = async (exchange: Exchange, auditId: string): Promise<void> => {
    const startedMs = clock.nowMs()
    const target = parseTarget(exchange.target)
    const info = parseRequestInfo(exchange.method, target)
    const { user = NOBODY, impersonator, error } = await identify(exchange)
    const source = sourceOf(exchange, auditId, impersonator)
    const refuse = (refusal: ApiError): never => {
      const attributes = info.isResource ? resourceAttributes(info, target.query, user) : { user, ...info }
      door.report({ attributes, source, code: refusal.code, error: refusal, startedMs })
      throw refusal
    }
    if (error) return refuse(error)
    if (user.name !== ANONYMOUS.name) exchange.connection.use.authenticated()
    // Memory counts for the real user, even if they impersonate another.
    const holding = costs.open(impersonator ?? user)
    if (!admitRequest(holding, info)) return refuse(tooManyRequests())
    const turn = createTurn(() =>
      parts.queue.enter(info, impersonator ?? user, (callback) => exchange.onClose(callback)),
    )
    try {
      await answer({ exchange, target, info, user, source }, holding, turn)
    } finally {
      turn.end()
      // The response is in memory until it is read.
      exchange.onClose(holding.release)
    }
  }

  return async (exchange) => {
    const auditId = nextAuditId()
    try {
      await handle(exchange, auditId)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason === 'InternalError')
        log.error('request failed', { method: exchange.method, target: exchange.target, auditId, error })
      else if (error.reason === 'Unauthorized')
        log.debug('request refused', { method: exchange.method, target: exchange.target, auditId, error })
      await sendError(exchange, error, { auditId, unread: costs.unreadAnswers }, log)
    }
    costs.awaitReader(exchange)
  }
}

// The only supported path of a node's proxy: there is no connection to nodes.
const isStatsPath = ({ verb, group, resource, subresource }: ResourceInfo, { segments }: RequestTarget): boolean =>
  verb === 'get' &&
  group === '' &&
  resource === 'nodes' &&
  subresource === 'proxy' &&
  segments.slice(5).join('/') === 'stats/summary'

// Evaluated on first use, which may fail: only an authorized user learns what is wrong with a request.
function createAnswerForm({ exchange, target, info }: IdentifiedRequest): (kind?: KindDefinition) => AnswerForm {
  let form: AnswerForm | undefined
  return (kind) => {
    if (form) return form
    // A kind without columns is answered, not stored.
    const isStored = kind === undefined || kind.columns.length > 0
    const representation = negotiate(exchange.headers.accept, { stream: info.verb === 'watch', isStored })
    const includeObject = representation.as === 'table' ? parseIncludeObject(target.query) : 'Metadata'
    return (form = { representation, includeObject })
  }
}

const sourceOf = (
  { target, headers, connection: { sourceIps } }: Exchange,
  auditId: string,
  impersonator: User | undefined,
): RequestSource => ({
  requestUri: target,
  userAgent: headers['user-agent'] ?? '',
  sourceIps,
  auditId,
  ...(impersonator ? { impersonator } : {}),
})

async function sendError(exchange: Exchange, error: unknown, sending: Sending, log: Logger): Promise<void> {
  try {
    const answer = errorAnswer(error)
    const body = answer.body as string
    const asYaml = errorEncoding(exchange.headers.accept) === 'yaml'
    await sendAnswer(
      exchange,
      asYaml ? { ...answer, contentType: 'application/yaml', body: await yamlOfJson(body) } : answer,
      sending,
    )
  } catch (second) {
    // The head has been sent, so the client can only be disconnected.
    log.error('answer failed', {
      method: exchange.method,
      target: exchange.target,
      auditId: sending.auditId,
      error: second,
    })
    exchange.abort()
  }
}

const warningHeaders = ({ warnings }: ResourceResponse): AnswerHeaders =>
  warnings.length === 0 ? {} : { warning: formatWarnings(warnings) }

async function encodeAnswer(
  response: Exclude<ResourceResponse, { kind: 'watch' }>,
  json: string | Iterable<string>,
  { encoding }: Representation,
): Promise<Answer> {
  const head = { status: response.kind === 'list' ? 200 : response.code, headers: warningHeaders(response) }
  const [contentType, text] = encoding === 'yaml' ? ['application/yaml', await yamlOfPieces(json)] : [JSON_TYPE, json]
  return { ...head, contentType, ...(typeof text === 'string' ? { body: text } : { pieces: text }) }
}

// In characters, which is their size in memory: nearly all have one byte. A list is counted before its text is created, by the size of its objects.
const sizeOf = (response: Exclude<ResourceResponse, { kind: 'watch' }>, json: string | Iterable<string>): number =>
  response.kind === 'list'
    ? response.items.reduce((sum, { json: text }) => sum + text.length, 0)
    : typeof json === 'string'
      ? json.length
      : 0

function refuseUpgrade({ headers }: Exchange): void {
  if (/\bwebsocket\b/i.test(headers.upgrade ?? ''))
    throw badRequest('watches are not served over websockets: ask without an upgrade, and read one event a line')
}

// Starts at a random value, so that two runs of the server never use the same IDs; counting from there is cheap.
function createAuditIds(random: Random): () => string {
  const prefix = Buffer.from(random.bytes(8)).toString('hex')
  let count = 0
  return () => {
    const digits = (++count).toString(16).padStart(16, '0')
    return `${prefix.slice(0, 8)}-${prefix.slice(8, 12)}-4${prefix.slice(13)}-8${digits.slice(1, 4)}-${digits.slice(4)}`
  }
}
