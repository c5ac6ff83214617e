import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { Http2SecureServer, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createFairQueue } from './fair-queue.ts'
import type { FairQueue } from './fair-queue.ts'
import { Http1Exchange } from './http1-exchange.ts'
import { Http2Exchange } from './http2-exchange.ts'
import { limitConnections } from './limit-connections.ts'
import { DEFAULT_CONNECTION_LIMITS, DEFAULT_REQUEST_LIMITS, REQUESTS_PER_CONNECTION } from './limits.ts'
import type { ConnectionLimits, RequestLimits } from './limits.ts'
import { createRequestCosts } from './request-costs.ts'
import { createRequestHandler } from './request-handler.ts'
import type { HandlerParts } from './request-handler.ts'
import { createRunningRequests } from './running-requests.ts'
import type { RunningRequests } from './running-requests.ts'

export type TlsFiles = {
  /** In PEM. */
  readonly key: string
  readonly cert: string
  /** The CA of client certificates. Default: clients are not asked for one. */
  readonly clientCa?: string
}

export type HttpServerOptions = Omit<HandlerParts, 'serverAddress' | 'costs' | 'queue'> & {
  /** Default: a new one with the levels of `PRIORITY_LEVELS`. */
  readonly queue?: FairQueue
  /** Default: plain HTTP/1.1, for measurements and tests. */
  readonly tls?: TlsFiles
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** If the port is in use, listen on a free one. Default false: the start fails. */
  readonly orFreePort?: boolean
  /** Default: `DEFAULT_REQUEST_LIMITS`. */
  readonly requestLimits?: RequestLimits
  /** Default: `DEFAULT_CONNECTION_LIMITS`. */
  readonly connectionLimits?: ConnectionLimits
  /** How long requests may take to end when the server stops. Default 5 s. */
  readonly closeTimeoutMs?: number
}

export interface HttpServer {
  readonly port: number
  /** For example `https://127.0.0.1:6443`. */
  readonly address: string
  /** Uses another certificate for new connections. */
  setTls(tls: TlsFiles): void
  /** Accepts no more connections, ends the watches, lets other requests finish, then closes. */
  close(): Promise<void>
}

const DEFAULT_CLOSE_TIMEOUT_MS = 5000
// Longer than clients keep an idle connection, so that the client closes it: a request on a closing connection is lost.
const KEEP_ALIVE_MS = 120_000
const HTTP2_SETTINGS = { maxConcurrentStreams: REQUESTS_PER_CONNECTION, initialWindowSize: 1024 * 1024 }
// Mebibytes that may be queued on one connection: all requests of a Go client share one.
const SESSION_MEMORY = 256

/** Starts to listen. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const {
    tls,
    host,
    port,
    clock,
    log,
    requestLimits = DEFAULT_REQUEST_LIMITS,
    connectionLimits = DEFAULT_CONNECTION_LIMITS,
    closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS,
  } = options
  const costs = createRequestCosts(clock, requestLimits)
  let authority = ''
  const connections = limitConnections(connectionLimits, { clock, log })
  const running = createRunningRequests(
    connections,
    createRequestHandler({
      ...options,
      costs,
      queue: options.queue ?? createFairQueue(clock),
      serverAddress: () => authority,
    }),
  )
  const server = tls ? createTlsServer(tls, running) : createPlainServer(running)
  server.on('connection', connections.accept)
  try {
    await listen(server, host, port)
  } catch (error) {
    if (!options.orFreePort || !isInUse(error)) throw error
    await listen(server, host, 0)
    log.warn('the port is in use by another program, using a free one', { port, used: addressOf(server).port })
  }
  const bound = addressOf(server)
  authority = `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`

  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    running.stop()
    const { promise: late, resolve: onLate } = Promise.withResolvers<void>()
    const timer = clock.setTimer(closeTimeoutMs, onLate)
    const finish = async (): Promise<void> => {
      await running.whenIdle()
      running.disconnect()
      await closed
    }
    await Promise.race([finish(), late])
    timer.cancel()
    running.destroy()
    costs.stop()
    connections.stop()
    await closed
  }
  let closing: Promise<void> | undefined
  const setTls = (files: TlsFiles): void => {
    if ('setSecureContext' in server) server.setSecureContext(secureContextOf(files))
  }
  return {
    setTls,
    port: bound.port,
    address: `${tls ? 'https' : 'http'}://${authority}`,
    close: () => (closing ??= close()),
  }
}

function addressOf(server: Server | Http2SecureServer): AddressInfo {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port')
  return bound
}

const isInUse = (error: unknown): boolean =>
  error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'

function listen(server: Server | Http2SecureServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void =>
      reject(
        new Error(`can't listen on ${host}:${port}: ${cause.message}; choose another with --port, or 0 for any`, {
          cause,
        }),
      )
    server.once('error', onError)
    server.listen(port, host, () => {
      server.off('error', onError)
      resolve()
    })
  })
}

function createPlainServer(running: RunningRequests): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, http1Listener(running))
  server.on('connection', running.addConnection)
  return server
}

const secureContextOf = ({ key, cert, clientCa }: TlsFiles) => ({
  key,
  cert,
  // Without our own CA, every publicly trusted certificate would count as verified.
  ...(clientCa === undefined ? {} : { ca: clientCa }),
  minVersion: 'TLSv1.2' as const,
})

function createTlsServer(tls: TlsFiles, running: RunningRequests): Http2SecureServer {
  const server = createSecureServer({
    ...secureContextOf(tls),
    ...(tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
    allowHTTP1: true,
    noDelay: true,
    settings: HTTP2_SETTINGS,
    maxSessionMemory: SESSION_MEMORY,
  })
  // For HTTP/1.1 connections; the type of the options does not declare it.
  Object.assign(server, { keepAliveTimeout: KEEP_ALIVE_MS })
  server.on('request', http1Listener(running))
  // This listener wraps each stream into HTTP/1 compatibility objects; ours uses the streams directly.
  server.removeAllListeners('stream')
  server.on(
    'stream',
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      const { session } = stream
      if (!session) return void stream.destroy()
      const connection = running.connectionOf(session, () => session.socket)
      running.run(new Http2Exchange(stream, headers, rawHeaders, connection))
    },
  )
  server.on('session', running.addSession)
  server.on('secureConnection', running.addConnection)
  return server
}

const http1Listener = (running: RunningRequests) => (request: unknown, response: unknown) => {
  // Both servers emit these for HTTP/1.1; the types of the second one only know HTTP/2.
  const message = request as IncomingMessage
  const connection = running.connectionOf(message.socket, () => message.socket)
  running.run(new Http1Exchange(message, response as ServerResponse, { connection, isLast: () => running.isStopping }))
}
