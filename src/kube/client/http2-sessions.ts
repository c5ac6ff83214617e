import { connect, constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { abandonOnAbort } from '../../base/abort.ts'
import type { Timer } from '../../base/clock.ts'
import type { TlsSettings } from './credentials.ts'
import type { HttpConnection, HttpConnectionParts, HttpRequest, HttpResponse } from './http-connection.ts'
import { readText } from './read-body.ts'

const CONNECT_TIMEOUT_MS = 20_000
// A connection whose other end has vanished stays silent: pings detect that.
const PING_INTERVAL_MS = 30_000
const PING_TIMEOUT_MS = 15_000
// Flow-control windows: the small defaults cost a round trip for each 64 KiB.
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024
const SESSION_WINDOW_BYTES = 32 * 1024 * 1024
// The server has not processed a request that it refused in this way: it can be sent again.
const MOST_REFUSALS = 3

type Session = {
  readonly http2: ClientHttp2Session
  readonly tls: TlsSettings
  /** Resolves when the server has announced how many streams it accepts; rejects if it cannot be reached. */
  readonly opened: Promise<void>
  /** Fails its requests. */
  end(error: Error): void
  /** Zero before that, and after either side closes the connection. */
  mostStreams: number
  state: 'opening' | 'open' | 'leaving'
  streams: number
}

/** Requests over HTTP/2. Sessions are opened when they are needed; pings detect a server that has vanished. */
export function openHttp2Sessions({ server, tls, clock }: HttpConnectionParts): HttpConnection {
  const sessions = new Set<Session>()
  let closed = false

  const openSession = (settings: TlsSettings): Session => {
    const { serverName, ...options } = settings
    const http2 = connect(server.origin, {
      ...options,
      ...(serverName ? { servername: serverName } : {}),
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    })
    const opened = Promise.withResolvers<void>()
    opened.promise.catch(() => {})
    const end = (error: Error): void => {
      drop(error)
      http2.destroy(error)
    }
    const session: Session = {
      http2,
      tls: settings,
      opened: opened.promise,
      end,
      mostStreams: 0,
      state: 'opening',
      streams: 0,
    }
    let timer: Timer = clock.setTimer(CONNECT_TIMEOUT_MS, () =>
      end(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    )
    const checkAlive = (): void => {
      // An extra connection that was opened for a burst of requests is closed.
      if (session.streams === 0 && sessions.values().some((other) => other !== session && other.state === 'open'))
        return leave(session)
      let answered = false
      if (!http2.destroyed) http2.ping((error) => void (answered = error === null))
      timer = clock.setTimer(PING_TIMEOUT_MS, () => {
        if (answered) timer = clock.setTimer(PING_INTERVAL_MS, checkAlive)
        else end(new Error('the server does not answer'))
      })
    }
    const drop = (error: Error): void => {
      timer.cancel()
      sessions.delete(session)
      session.state = 'leaving'
      opened.reject(error)
    }
    http2.on('connect', () => http2.setLocalWindowSize(SESSION_WINDOW_BYTES))
    http2.on('remoteSettings', ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
      session.mostStreams = maxConcurrentStreams
      if (session.state !== 'opening') return
      session.state = 'open'
      timer.cancel()
      timer = clock.setTimer(PING_INTERVAL_MS, checkAlive)
      opened.resolve()
    })
    http2.on('goaway', () => void (session.state = 'leaving'))
    http2.on('error', drop)
    http2.on('close', () => drop(new Error('the server closed the connection')))
    sessions.add(session)
    return session
  }
  const leave = (session: Session): void => {
    session.state = 'leaving'
    session.http2.close()
  }
  const findSession = (settings: TlsSettings): Session | undefined => {
    for (const session of sessions) {
      if (session.tls !== settings && session.state === 'open') leave(session)
      const { http2, state, streams, mostStreams } = session
      if (state === 'open' && streams < mostStreams && !http2.closed && !http2.destroyed) return session
    }
    return undefined
  }
  const findOpening = (settings: TlsSettings): Session | undefined =>
    sessions.values().find((session) => session.state === 'opening' && session.tls === settings)

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const settings = await abandonOnAbort(tls(), request.signal)
    for (let refusals = 0; ;) {
      if (closed) throw new Error('the connection was closed')
      const session = findSession(settings)
      if (!session) {
        await abandonOnAbort((findOpening(settings) ?? openSession(settings)).opened, request.signal)
        continue
      }
      try {
        return await exchange(session, request)
      } catch (error) {
        if (!(error instanceof RefusedError) || ++refusals >= MOST_REFUSALS) throw error
      }
    }
  }
  const close = (): void => {
    closed = true
    for (const session of [...sessions]) session.end(new Error('the connection was closed'))
  }
  return { send, close }
}

class RefusedError extends Error {}

function exchange(session: Session, { method, path, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stream = session.http2.request(
      { ':method': method, ':path': path, ...headers },
      { endStream: body === undefined },
    )
    session.streams++
    const onAbort = (): void => stream.close(constants.NGHTTP2_CANCEL)
    signal?.addEventListener('abort', onAbort, { once: true })
    const fail = (error: Error): void => {
      const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
      reject(signal?.aborted ? signal.reason : refused ? new RefusedError('the server refused the request') : error)
    }
    let isAnswered = false
    stream.on('response', (answered) => {
      isAnswered = true
      const body = chunksOf(stream)
      resolve({ status: Number(answered[':status']), headers: answered, body, text: () => readText(body) })
    })
    stream.on('error', fail)
    stream.on('close', () => {
      session.streams--
      signal?.removeEventListener('abort', onAbort)
      // Only when needed: creating an error costs as much as the rest of this.
      if (!isAnswered) fail(new Error('the server closed the connection without an answer'))
    })
    if (body !== undefined) stream.end(body)
  })
}

// Not the stream's own iterator: it treats a response that arrived completely before it is read as cut off.
async function* chunksOf(stream: ClientHttp2Stream): AsyncGenerator<Buffer, void> {
  let wake: (() => void) | undefined
  const onEvent = (): void => wake?.()
  for (const event of ['readable', 'end', 'close']) stream.on(event, onEvent)
  try {
    for (;;) {
      const chunk = stream.read() as Buffer | null
      if (chunk) yield chunk
      else if (stream.readableEnded || stream.destroyed) break
      else await new Promise<void>((resolve) => void (wake = resolve))
    }
  } finally {
    // A reader that stops early does not need the rest.
    if (!stream.readableEnded) stream.destroy()
  }
  if (stream.errored) throw stream.errored
  // If the session is gone, a stream ends as if it were complete: only its code shows the difference.
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.readableEnded)
    throw new Error('the connection was lost in the middle of the answer')
}
