import { Agent, request as httpRequest } from 'node:http'
import { connect, constants } from 'node:http2'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import type { Readable } from 'node:stream'
import type { Clock, Timer } from '../base/clock.ts'
import type { TlsSettings } from './credentials.ts'

export type HttpRequest = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

export type HttpResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Readable }

/** Requests to one server. */
export interface HttpConnection {
  /** Resolves with the headers; the body comes as a stream. Rejects when there is no answer. */
  send(request: HttpRequest): Promise<HttpResponse>
  close(): void
}

/** HTTP/2 for https, as every Kubernetes API server speaks it; HTTP/1.1 for plain http, as test servers do. */
export function openHttpConnection(server: URL, tls: TlsSettings, clock: Clock): HttpConnection {
  return server.protocol === 'https:' ? openHttp2(server, tls, clock) : openHttp1(server)
}

// A connection whose other end has vanished says nothing for ever: it is asked now and then whether it is still there.
const PING_INTERVAL_MS = 30_000
const PING_TIMEOUT_MS = 15_000
// What a session may carry when the server does not say.
const DEFAULT_STREAMS = 100

type Session = { http2: ClientHttp2Session; streams: number; usable: boolean }

function openHttp2(server: URL, tls: TlsSettings, clock: Clock): HttpConnection {
  const sessions = new Set<Session>()
  const { serverName, ...options } = tls
  let closed = false

  const openSession = (): Session => {
    const http2 = connect(server.origin, { ...options, ...(serverName ? { servername: serverName } : {}), settings: { enablePush: false } })
    const session: Session = { http2, streams: 0, usable: true }
    let timer: Timer
    const drop = (): void => {
      session.usable = false
      sessions.delete(session)
      timer.cancel()
    }
    const checkAlive = (): void => {
      let answered = false
      if (!http2.destroyed) http2.ping((error) => void (answered = error === null))
      timer = clock.setTimer(PING_TIMEOUT_MS, () => {
        if (answered) timer = clock.setTimer(PING_INTERVAL_MS, checkAlive)
        else http2.destroy(new Error('the server does not answer'))
      })
    }
    timer = clock.setTimer(PING_INTERVAL_MS, checkAlive)
    http2.on('goaway', () => void (session.usable = false))
    http2.on('error', drop)
    http2.on('close', drop)
    sessions.add(session)
    return session
  }
  const findSession = (): Session => {
    for (const session of sessions) {
      const most = session.http2.remoteSettings?.maxConcurrentStreams ?? DEFAULT_STREAMS
      if (session.usable && !session.http2.closed && !session.http2.destroyed && session.streams < most) return session
    }
    return openSession()
  }

  const send = (request: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error('the connection was closed'))
      if (request.signal?.aborted) return reject(request.signal.reason)
      const session = findSession()
      const stream = session.http2.request({ ':method': request.method, ':path': request.path, ...request.headers }, { endStream: request.body === undefined })
      session.streams++
      const onAbort = (): void => stream.close(constants.NGHTTP2_CANCEL)
      request.signal?.addEventListener('abort', onAbort, { once: true })
      stream.on('response', (headers) => resolve({ status: Number(headers[':status']), headers, body: stream }))
      stream.on('error', (error) => reject(request.signal?.aborted ? request.signal.reason : error))
      stream.on('close', () => {
        session.streams--
        request.signal?.removeEventListener('abort', onAbort)
        reject(request.signal?.aborted ? request.signal.reason : new Error('the server closed the connection without an answer'))
      })
      if (request.body !== undefined) stream.end(request.body)
    })

  const close = (): void => {
    closed = true
    for (const { http2 } of sessions) http2.destroy()
  }
  return { send, close }
}

function openHttp1(server: URL): HttpConnection {
  const agent = new Agent({ keepAlive: true })
  const send = ({ method, path, headers, body, signal }: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(server, { agent, method, path, headers, ...(signal ? { signal } : {}) }, (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
      )
      request.on('error', (error) => reject(signal?.aborted ? signal.reason : error))
      request.end(body)
    })
  return { send, close: () => agent.destroy() }
}
