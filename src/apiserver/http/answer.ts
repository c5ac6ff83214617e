import { formatExactJson } from '../../api/exact-json.ts'
import { ApiError } from '../../api/api-error.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { AnswerHeaders, Exchange } from './exchange.ts'
import type { IdleTimeouts } from './idle-timeouts.ts'

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
  const whole = pieces ? await makePieces(pieces) : body
  if (whole !== undefined) all['content-length'] = String(lengthOf(whole))
  if (whole === undefined || exchange.method === 'HEAD') return exchange.send(status, all, undefined)
  if (!Array.isArray(whole) && whole.length <= PIECE_BYTES) return exchange.send(status, all, whole)
  const writer = exchange.begin(status, all)
  for (const piece of Array.isArray(whole) ? whole : split(whole)) {
    if (exchange.isClosed) return
    if (!writer.write(piece.text)) {
      unread.touch(exchange)
      await writer.drained()
    }
    await nextTurn()
  }
  writer.end()
}

type Piece = { readonly text: string; readonly bytes: number }

// The length must be known before the first piece is sent. A single piece is sent like any other response.
async function makePieces(body: Iterable<string>): Promise<string | Piece[]> {
  const pieces: Piece[] = []
  for (const text of body) {
    if (pieces.length > 0) await nextTurn()
    pieces.push({ text, bytes: Buffer.byteLength(text) })
  }
  const [first] = pieces
  return first && pieces.length === 1 ? first.text : pieces
}

function* split(body: string | Uint8Array): Generator<{ readonly text: Uint8Array }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield { text: bytes.subarray(start, start + PIECE_BYTES) }
}

function lengthOf(body: string | Uint8Array | readonly Piece[]): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.length
  return body.reduce((sum, { bytes }) => sum + bytes, 0)
}
