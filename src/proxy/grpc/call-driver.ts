import { constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { headersOf } from './reply.ts'
import type { Reply } from './reply.ts'

export type DriverCall = {
  readonly session: ClientHttp2Session
  readonly headers: OutgoingHttpHeaders
  /** The whole request. Undefined: the request is read from the caller and passed on as it arrives. */
  readonly body: Buffer | undefined
  readonly caller: ServerHttp2Stream
  /** Whether the caller gets the answer as it arrives. Otherwise the answer is only returned. */
  readonly isLive: boolean
  /** Whether the body of a live answer is part of the result. */
  readonly isKept: boolean
}

// More of an answer is passed on, but not kept for the recording.
const MOST_KEPT_BYTES = 64 * 1024 * 1024

/** Makes the call and resolves with the answer once it is complete. If the caller goes, the call is cancelled. Never rejects. */
export function callDriver({ session, headers, body, caller, isLive, isKept }: DriverCall): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  let call: ClientHttp2Stream
  try {
    call = session.request(headers, { endStream: body?.length === 0 })
  } catch {
    // The driver closed the connection in the meantime; the caller's connection is closed with it.
    resolve({ kind: 'reset', code: constants.NGHTTP2_REFUSED_STREAM })
    return promise
  }
  const cancel = (): void => call.close(caller.rstCode === 0 ? constants.NGHTTP2_CANCEL : caller.rstCode)
  if (caller.destroyed) cancel()
  caller.once('close', cancel)
  let answered: OutgoingHttpHeaders | undefined
  let trailers: OutgoingHttpHeaders | undefined
  const kept: Buffer[] = []
  let keptBytes = 0
  call.on('error', () => {})
  call.on('response', ((_headers: unknown, flags: number, raw: string[]) => {
    answered = headersOf(raw)
    if (isLive) startAnswer(caller, answered, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0, () => trailers)
  }) as () => void)
  call.on(
    'trailers',
    ((_headers: unknown, _flags: number, raw: string[]) => void (trailers = headersOf(raw))) as () => void,
  )
  call.on('data', (chunk: Buffer) => {
    if (!isLive || (isKept && keptBytes < MOST_KEPT_BYTES)) {
      kept.push(chunk)
      keptBytes += chunk.length
    }
    if (!isLive || caller.destroyed || caller.writableEnded || caller.write(chunk)) return
    call.pause()
    caller.once('drain', () => call.resume())
  })
  call.on('close', () => {
    caller.off('close', cancel)
    const reply: Reply =
      answered === undefined || call.rstCode !== 0
        ? { kind: 'reset', code: call.rstCode }
        : { kind: 'answer', headers: answered, body: Buffer.concat(kept), trailers }
    if (isLive) endAnswer(caller, reply)
    resolve(reply)
  })
  if (body === undefined) caller.pipe(call)
  else if (body.length > 0) call.end(body)
  return promise
}

/** Sends a complete answer to the caller. */
export function sendReply(caller: ServerHttp2Stream, reply: Reply): void {
  if (reply.kind === 'answer' && !caller.destroyed) {
    const { headers, body, trailers } = reply
    startAnswer(caller, headers, trailers === undefined && body.length === 0, () => trailers)
    if (!caller.writableEnded) caller.write(body)
  }
  endAnswer(caller, reply)
}

// Node would add a date, which the driver did not send.
const WITHOUT_DATE = { sendDate: false }

function startAnswer(
  caller: ServerHttp2Stream,
  headers: OutgoingHttpHeaders,
  isAll: boolean,
  trailers: () => OutgoingHttpHeaders | undefined,
): void {
  if (caller.destroyed || caller.headersSent) return
  if (isAll) return caller.respond(headers, { ...WITHOUT_DATE, endStream: true })
  caller.respond(headers, { ...WITHOUT_DATE, waitForTrailers: true })
  caller.on('wantTrailers', () => {
    const last = trailers()
    if (last) caller.sendTrailers(last)
    else caller.close()
  })
}

function endAnswer(caller: ServerHttp2Stream, reply: Reply): void {
  if (caller.destroyed) return
  if (reply.kind === 'reset') caller.close(reply.code === 0 ? constants.NGHTTP2_INTERNAL_ERROR : reply.code)
  else if (!caller.writableEnded) caller.end()
}
