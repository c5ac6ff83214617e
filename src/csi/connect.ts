import { createConnection } from 'node:net'
import type { Clock, Timer } from '../base/clock.ts'
import { createConnectionStates } from './connection-states.ts'
import type { ConnectionState } from './connection-states.ts'
import { describeFailedConnection, describeLostConnection } from './describe-lost-connection.ts'
import type { Peer } from './describe-lost-connection.ts'
import { createGrpcTransport } from './grpc-transport.ts'
import type { GrpcStatus } from './grpc/grpc-response.ts'
import { createHttp2Client } from './grpc/http2-client.ts'
import type { Http2Client } from './grpc/http2-client.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import type { Transport } from './transport.ts'

export type { ConnectionState } from './connection-states.ts'

/** A connection to one unix socket that reconnects forever. */
export interface Connection {
  readonly transport: Transport
  readonly path: string
  state(): ConnectionState
  /** Calls back on every change, but not for the current state. The result ends the watch. */
  watch(listener: (state: ConnectionState) => void): () => void
  /** Resolves once the connection is ready; rejects if it is closed or the signal aborts. */
  ready(signal?: AbortSignal): Promise<void>
  /** Calls in flight, and later ones, fail with CANCELLED. */
  close(): void
}

export type ConnectOptions = {
  /** A path or unix:// address. */
  endpoint: string
  clock: Clock
  /** Largest accepted message. Default 16 MiB, for ListVolumes of a big driver. */
  maxMessageBytes?: number
  /** The driver's name once it is known, for errors. */
  driverName?: () => string | undefined
}

const DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 1000
const RETRY_GROWTH = 1.6
const STAY_ALIVE_MS = 60_000

/** What calls meet: a connection, the attempt to make one, or the reason why there is none. */
type Line =
  | { kind: 'ready'; client: Http2Client }
  | { kind: 'dialling'; waiting: PromiseWithResolvers<Http2Client | GrpcStatus> }
  | { kind: 'failed'; status: () => GrpcStatus }

/** Starts connecting and returns immediately; `ready` resolves when the server responds. */
export function connect({
  endpoint,
  clock,
  maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
  driverName,
}: ConnectOptions): Connection {
  const path = parseEndpoint(endpoint)
  const peer = (): Peer => ({ path, driverName: driverName?.() })
  const unavailable = (detail: string): GrpcStatus => ({ code: 'UNAVAILABLE', detail })
  const { state, move, watch, ready } = createConnectionStates(path)
  const sockets = new Set<Disposable>()
  let line: Line = dialling()
  let retry: Timer | undefined
  let retryMs = FIRST_RETRY_MS
  let openedMs = 0

  const isClosed = (): boolean => state().kind === 'closed'
  const follow = (connected: boolean): void => {
    const next = nextConnectionState(state(), connected)
    if (next !== state()) move(next)
  }
  const open = (client: Http2Client): void => {
    openedMs = clock.monotonicMs()
    const before = line
    line = { kind: 'ready', client }
    if (before.kind === 'dialling') before.waiting.resolve(client)
    follow(true)
  }
  /** The server takes no more calls on this connection, or is gone. */
  const redial = (client: Http2Client): void => {
    if (line.kind !== 'ready' || line.client !== client) return
    line = dialling()
    follow(false)
    if (isClosed()) return
    // Not at once if it did not last: the driver may be crashing at every connection.
    if (clock.monotonicMs() - openedMs < LONGEST_RETRY_MS) return dialLater()
    retryMs = FIRST_RETRY_MS
    dial()
  }
  const dialLater = (): void => {
    retry = clock.setTimer(retryMs, dial)
    retryMs = Math.min(retryMs * RETRY_GROWTH, LONGEST_RETRY_MS)
  }
  const fail = (error: NodeJS.ErrnoException): void => {
    if (isClosed()) return
    const status = (): GrpcStatus => unavailable(describeFailedConnection(error, peer()))
    if (line.kind === 'dialling') line.waiting.resolve(status())
    line = { kind: 'failed', status }
    dialLater()
  }
  const dial = (): void => {
    // An idle connection does not keep the process alive.
    const socket = createConnection({ path }).unref()
    let error: NodeJS.ErrnoException = new Error('the server closed the connection before it answered')
    let isReady = false
    const client = createHttp2Client({
      write: (bytes) => void socket.write(bytes),
      ready: () => {
        isReady = true
        if (!isClosed()) open(client)
      },
      draining: () => redial(client),
      busy: (isBusy) => void (isBusy ? socket.ref() : socket.unref()),
    })
    const handle = { [Symbol.dispose]: () => void socket.destroy() }
    sockets.add(handle)
    socket.on('error', (reason) => void (error = reason))
    socket.on('data', (chunk) => {
      try {
        client.receive(chunk)
      } catch (reason) {
        // Malformed: nothing that follows can be understood.
        socket.destroy(reason as Error)
      }
    })
    socket.on('close', () => {
      sockets.delete(handle)
      client.end()
      if (isReady) redial(client)
      else fail(error)
    })
  }

  const transport = createGrpcTransport({
    clock,
    maxMessageBytes,
    connection: () => {
      if (line.kind === 'ready') return line.client
      return line.kind === 'dialling' ? line.waiting.promise : line.status()
    },
    lost: () => unavailable(describeLostConnection(peer())),
  })
  dial()

  const readyAlive = async (signal?: AbortSignal): Promise<void> => {
    // An idle socket does not keep the process alive: without this timer, it would exit while it is waiting.
    let alive: Timer
    const stayAlive = (): void => void (alive = clock.setTimer(STAY_ALIVE_MS, stayAlive))
    stayAlive()
    await ready(signal).finally(() => alive.cancel())
  }
  const close = (): void => {
    if (isClosed()) return
    transport.close()
    move({ kind: 'closed' })
    retry?.cancel()
    for (const socket of sockets) socket[Symbol.dispose]()
  }
  return { transport, path, state, watch, ready: readyAlive, close }
}

const dialling = (): Line => ({ kind: 'dialling', waiting: Promise.withResolvers() })

/** The state after the connection was seen to be there, or not; the same object if nothing has changed. */
export function nextConnectionState(state: ConnectionState, connected: boolean): ConnectionState {
  switch (state.kind) {
    case 'closed':
      return state
    case 'connecting':
      return connected ? { kind: 'ready', times: 1 } : state
    case 'ready':
      return connected ? state : { kind: 'lost', times: state.times }
    case 'lost':
      return connected ? { kind: 'ready', times: state.times + 1 } : state
  }
}
