import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { abandonOnAbort } from '../../base/abort.ts'
import type { Timer } from '../../base/clock.ts'
import type { TlsSettings } from './credentials.ts'
import { createExchange } from './http1-exchange.ts'
import type { Exchange } from './http1-exchange.ts'
import type { HttpConnection, HttpConnectionParts, HttpRequest, HttpResponse } from './http-connection.ts'

/** The server does not speak HTTP/1.1, and has seen no request. */
export class NoHttp1Error extends Error {}

const CONNECT_TIMEOUT_MS = 20_000
const SWEEP_INTERVAL_MS = 15_000
// Below the limits of common servers and load balancers, so that it is rarely the server who closes.
const MOST_IDLE_MS = 45_000
// An exchange without a single byte for so long has lost its server. Slower than any answer of an API server, which gives up after 60 s.
const MOST_SILENT_MS = 75_000
const ALPN_REFUSED = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

type Line = {
  readonly socket: Socket
  readonly tls: TlsSettings | undefined
  exchange: Exchange | undefined
  /** When the exchange, or the time without one, began. */
  sinceMs: number
  /** Of the exchange. */
  heardMs: number
  isOpen: boolean
  isReused: boolean
}
type Waiter = { readonly tls: TlsSettings | undefined; resolve(line: Line): void; reject(error: Error): void }

/**
 * Requests over HTTP/1.1, one at a time on each connection; connections are opened when all are busy, kept, and closed when idle. About half of the CPU
 * time of the same request on `node:http2` (`npm run bench api-request`).
 */
// One function, because all of it works on the same connections and waiters.
export function openHttp1Pool({ server, tls, clock }: HttpConnectionParts): HttpConnection {
  const isSecure = server.protocol === 'https:'
  const lines = new Set<Line>()
  // The one that was used last is used next: the others become idle and are closed.
  const idle: Line[] = []
  const waiting: Waiter[] = []
  // Saves most of the handshake of further connections.
  const sessions = new WeakMap<TlsSettings, Buffer>()
  let opening = 0
  let closed = false
  let timer: Timer | undefined

  const connect = (settings: TlsSettings | undefined): Socket => {
    const place = { host: server.hostname.replace(/^\[|\]$/g, ''), port: Number(server.port || (isSecure ? 443 : 80)) }
    if (!settings) return connectTcp({ ...place, noDelay: true })
    const { serverName, ...options } = settings
    const session = sessions.get(settings)
    const socket = connectTls({
      ...place,
      ...options,
      ...(serverName ? { servername: serverName } : {}),
      ...(session ? { session } : {}),
      ALPNProtocols: ['http/1.1'],
    })
    socket.setNoDelay(true)
    return socket.on('session', (next) => sessions.set(settings, next))
  }
  const open = (settings: TlsSettings | undefined): void => {
    opening++
    const line: Line = {
      socket: connect(settings),
      tls: settings,
      exchange: undefined,
      sinceMs: clock.monotonicMs(),
      heardMs: 0,
      isOpen: false,
      isReused: false,
    }
    const { socket } = line
    lines.add(line)
    const patience = clock.setTimer(CONNECT_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    )
    let problem: Error | undefined
    socket.on('error', (error) => void (problem = error))
    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      patience.cancel()
      opening--
      line.isOpen = true
      offer(line)
    })
    socket.on('data', (chunk: Buffer) => {
      line.heardMs = clock.monotonicMs()
      // Nobody asked: an answer to nothing, or to a request that was given up.
      if (line.exchange) line.exchange.push(chunk)
      else socket.destroy()
    })
    // The server leaves: an idle connection must not be used again.
    socket.on('end', () => retire(line))
    socket.on('close', () => {
      patience.cancel()
      retire(line)
      lines.delete(line)
      if (lines.size === 0) endSweeps()
      if (!line.isOpen) {
        opening--
        waiterFor(line.tls)?.reject(refusalOf(problem))
      }
      line.exchange?.lose(problem)
      line.exchange = undefined
    })
    timer ??= clock.setTimer(SWEEP_INTERVAL_MS, sweep)
  }
  const retire = (line: Line): void => {
    const at = idle.indexOf(line)
    if (at >= 0) idle.splice(at, 1)
  }
  const waiterFor = (settings: TlsSettings | undefined): Waiter | undefined => {
    const at = waiting.findIndex((waiter) => waiter.tls === settings)
    return at < 0 ? undefined : waiting.splice(at, 1)[0]
  }
  /** Gives a free connection to the first that waits for one. */
  const offer = (line: Line): void => {
    if (closed || line.socket.destroyed || line.socket.readableEnded) return void line.socket.destroy()
    const waiter = waiterFor(line.tls)
    line.sinceMs = clock.monotonicMs()
    if (waiter) waiter.resolve(line)
    else idle.push(line)
  }
  const take = (settings: TlsSettings | undefined): Line | undefined => {
    for (let line = idle.pop(); line; line = idle.pop()) {
      if (line.tls === settings && line.socket.writable) return line
      // Settings have changed, such as a client certificate.
      line.socket.destroy()
    }
    return undefined
  }
  const untilFree = (settings: TlsSettings | undefined): Promise<Line> => {
    const { promise, resolve, reject } = Promise.withResolvers<Line>()
    waiting.push({ tls: settings, resolve, reject })
    if (opening < waiting.length) open(settings)
    return promise
  }
  const endSweeps = (): void => {
    timer?.cancel()
    timer = undefined
  }
  const sweep = (): void => {
    const nowMs = clock.monotonicMs()
    for (const line of lines) {
      if (!line.isOpen) continue
      if (!line.exchange) {
        if (nowMs - line.sinceMs >= MOST_IDLE_MS) line.socket.destroy()
      } else if (nowMs - Math.max(line.sinceMs, line.heardMs) >= MOST_SILENT_MS && !line.socket.isPaused())
        line.socket.destroy(new Error('the server does not answer'))
    }
    timer = clock.setTimer(SWEEP_INTERVAL_MS, sweep)
  }

  const exchange = (line: Line, request: HttpRequest, text: string): Promise<HttpResponse> => {
    line.sinceMs = clock.monotonicMs()
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
    line.exchange = createExchange({
      socket: line.socket,
      request,
      resolve,
      reject,
      ended: (canReuse) => {
        line.exchange = undefined
        line.isReused = true
        if (canReuse) offer(line)
        else line.socket.destroy()
      },
    })
    line.socket.write(text)
    return promise
  }
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { signal } = request
    const text = formatRequest(server.host, request)
    const settings = isSecure ? await abandonOnAbort(tls(), signal) : undefined
    for (;;) {
      if (closed) throw new Error('the connection was closed')
      signal?.throwIfAborted()
      let line = take(settings)
      if (!line) {
        const free = untilFree(settings)
        line = await abandonOnAbort(free, signal).catch((error: unknown) => {
          // Whoever gives up leaves the connection to the next.
          if (signal?.aborted) free.then(offer, () => {})
          throw error
        })
      }
      try {
        return await exchange(line, request, text)
      } catch (error) {
        // The server closed an idle connection while the request was under way to it. Only a read can be sent again.
        const wasIdle = line.isReused && line.heardMs < line.sinceMs
        if (!wasIdle || request.method !== 'GET' || closed || signal?.aborted) throw error
      }
    }
  }
  const close = (): void => {
    closed = true
    endSweeps()
    const error = new Error('the connection was closed')
    for (const waiter of waiting.splice(0)) waiter.reject(error)
    for (const line of lines) line.socket.destroy(error)
  }
  return { send, close }
}

function refusalOf(problem: (Error & { code?: string }) | undefined): Error {
  if (problem?.code === ALPN_REFUSED) return new NoHttp1Error('the server does not speak HTTP/1.1', { cause: problem })
  return problem ?? new Error('the server closed the connection without an answer')
}

const UNSAFE = /[\r\n\0]/
const UNSAFE_PATH = /[\r\n\0 ]/

/** As one text, so that it is written at once. */
function formatRequest(host: string, { method, path, headers, body }: HttpRequest): string {
  if (UNSAFE_PATH.test(path)) throw new Error('the path of a request has an invalid character')
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`
  for (const name in headers) {
    const value = headers[name] as string | string[]
    if (typeof value !== 'string') for (const each of value) head += headerLine(name, each)
    else head += headerLine(name, value)
  }
  if (body === undefined) return `${head}\r\n`
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function headerLine(name: string, value: string): string {
  if (UNSAFE.test(value) || UNSAFE.test(name)) throw new Error(`the header ${name} has an invalid character`)
  return `${name}: ${value}\r\n`
}
