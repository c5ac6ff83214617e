import { formatExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { AnswerHeaders, Exchange } from './exchange.ts'
import type { IdleTimeouts } from './idle-timeouts.ts'
import { startPieces } from './start-pieces.ts'

/** A complete response. */
export type Answer = {
  readonly status: number
  /** Absent without a body. */
  readonly contentType?: string
  readonly headers?: Readonly<AnswerHeaders>
  readonly body?: string | Uint8Array
  /** A body that is created and sent in pieces, as fast as the client reads; other requests are served in between. */
  readonly pieces?: Iterable<string>
}

export const JSON_TYPE = 'application/json'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

export const jsonAnswer = (value: unknown): Answer => ({
  status: 200,
  contentType: JSON_TYPE,
  body: `${formatExactJson(value)}\n`,
})

/** Any other error than an ApiError is a bug in the server, and its details are not sent. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError('InternalError', 'Internal error occurred: the request could not be handled', { cause: error })

/** Any failure as a Status. */
export function errorAnswer(error: unknown): Answer {
  const apiError = asApiError(error)
  // A failure without an HTTP status of its own must not become an invalid one.
  const status = apiError.code >= 400 && apiError.code <= 599 ? apiError.code : 500
  const seconds = apiError.details?.retryAfterSeconds
  const body = `${formatExactJson({ ...apiError.toStatus(), code: status })}\n`
  return { status, contentType: JSON_TYPE, body, ...(seconds ? { headers: { 'retry-after': String(seconds) } } : {}) }
}

/** Headers of every response. */
export const baseHeaders = (auditId: string): AnswerHeaders => ({
  'audit-id': auditId,
  'cache-control': 'no-cache, private',
})

// Only a response in pieces shows whether its client reads.
const PIECE_BYTES = 256 * 1024

export type Sending = {
  readonly auditId: string
  /** Disconnects a client that reads nothing for too long. */
  readonly unread: IdleTimeouts<Exchange>
}

/** Sends a response; resolves when all of it was written, or the client has disconnected. */
export async function sendAnswer(
  exchange: Exchange,
  { status, contentType, headers, body, pieces }: Answer,
  { auditId, unread }: Sending,
): Promise<void> {
  const all = baseHeaders(auditId)
  if (contentType !== undefined) all['content-type'] = contentType
  if (headers) Object.assign(all, headers)
  const content = pieces ? await startPieces(pieces) : body
  const isWhole = content === undefined || typeof content === 'string' || content instanceof Uint8Array
  // The length of a list is known only at its end: it is sent without.
  if (isWhole && content !== undefined)
    all['content-length'] = String(typeof content === 'string' ? Buffer.byteLength(content) : content.length)
  if (content === undefined || exchange.method === 'HEAD') return exchange.send(status, all, undefined)
  if (isWhole && content.length <= PIECE_BYTES) return exchange.send(status, all, content)
  const writer = exchange.begin(status, all)
  for (const piece of isWhole ? split(content) : content) {
    if (exchange.isClosed) return
    if (!writer.write(piece)) {
      unread.touch(exchange)
      await writer.drained()
    }
    await nextTurn()
  }
  writer.end()
}

function* split(body: string | Uint8Array): Generator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES)
}
