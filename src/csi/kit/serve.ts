import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Metadata, Server, ServerCredentials } from '@grpc/grpc-js'
import type {
  MethodDefinition,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { sendUnaryData } from '@grpc/grpc-js'
import type { Clock } from '../../base/clock.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { sleep } from '../../base/clock.ts'
import { parseTraceparent } from '../../base/tracing/index.ts'
import type { SpanContext } from '../../base/tracing/index.ts'
import { codeNumber } from '../codes.ts'
import { CsiError } from '../csi-error.ts'
import { repairAuthority } from '../http2/repair-authority.ts'
import { parseEndpoint } from '../parse-endpoint.ts'
import { callerGone } from './dispatch.ts'
import type { Dispatcher } from './dispatch.ts'
import { listenOnSocket } from './listen-on-socket.ts'

export type ServeOptions = {
  /** A path or unix:// address. */
  endpoint: string
  servers: readonly Dispatcher[]
  files: HostFiles
  random: Random
  clock: Clock
  log: Logger
  /** Largest accepted request. Default 4 MiB. */
  maxMessageBytes?: number
  /** Permissions of the socket. Default 0o600. */
  socketMode?: number
}

export interface RunningServer {
  readonly path: string
  /**
   * Accepts no new calls, waits at most this long (default 10 s) for running calls and their responses, then closes every connection. A second call
   * waits for the first.
   */
  stop(options?: { graceMs?: number }): Promise<void>
}

const DEFAULT_MAX_MESSAGE_BYTES = 4 * 1024 * 1024
const DEFAULT_GRACE_MS = 10_000

/** Serves dispatchers over gRPC on one unix socket. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const path = parseEndpoint(options.endpoint)
  const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, clock, log } = options
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
  })
  const pending = new PendingWork()
  for (const dispatcher of options.servers) addDispatcher(server, dispatcher, pending)

  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const sockets = new Set<Socket>()
  const listener = await listenOnSocket({
    path,
    files: options.files,
    random: options.random,
    ...(options.socketMode === undefined ? {} : { mode: options.socketMode }),
    onConnection: (socket) => {
      sockets.add(socket)
      pending.add(closeOf(socket).then(() => sockets.delete(socket)))
      socket.on('error', (error) => log.debug('connection failed', { error }))
      injector.injectConnection(repairAuthority(socket))
    },
    onError: (error) => log.error('connection not accepted', { error }),
  })

  const stopOnce = async (graceMs: number): Promise<void> => {
    // A leftover socket does no harm: the next server replaces it.
    await listener.close().catch((error: unknown) => log.warn('socket not removed', { path, error }))
    // Rejects new calls. A connection ends once its last response is sent.
    injector.destroy()
    const allDone = new AbortController()
    const settled = pending.settled().then(() => allDone.abort())
    await Promise.race([settled, sleep(clock, graceMs, allDone.signal).catch(() => {})])
    for (const socket of sockets) socket.destroy()
    server.forceShutdown()
  }
  let stopping: Promise<void> | undefined
  return { path, stop: ({ graceMs = DEFAULT_GRACE_MS } = {}) => (stopping ??= stopOnce(graceMs)) }
}

/** Running calls and open connections. */
class PendingWork {
  readonly #work = new Set<Promise<unknown>>()

  /** The work must never reject. */
  add(work: Promise<unknown>): void {
    this.#work.add(work)
    void work.then(() => this.#work.delete(work))
  }

  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}

const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => void socket.once('close', () => resolve()))

type UnaryCall = ServerUnaryCall<Uint8Array, Uint8Array>
type StreamCall = ServerWritableStream<Uint8Array, Uint8Array>
type Answer = sendUnaryData<Uint8Array>

function addDispatcher(server: Server, dispatcher: Dispatcher, pending: PendingWork): void {
  const definition: Record<string, MethodDefinition<Uint8Array, Uint8Array>> = {}
  const implementation: UntypedServiceImplementation = {}
  for (const rpc of dispatcher.rpcs.values()) {
    definition[rpc.key] = {
      path: rpc.path,
      requestStream: false,
      responseStream: rpc.responseStream,
      requestSerialize: asBuffer,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: asBuffer,
      responseDeserialize: (bytes) => bytes,
    }
    implementation[rpc.key] = rpc.responseStream
      ? (call: StreamCall) => pending.add(answerStream(dispatcher, rpc.path, call))
      : (call: UnaryCall, callback: Answer) => pending.add(answerUnary(dispatcher, rpc.path, call, callback))
  }
  server.addService(definition as ServiceDefinition, implementation)
}

async function answerUnary(dispatcher: Dispatcher, path: string, call: UnaryCall, callback: Answer): Promise<void> {
  using caller = followCaller(call)
  try {
    callback(null, await dispatcher.unary(path, call.request, { signal: caller.signal, trace: traceOf(call) }))
  } catch (reason) {
    callback(grpcStatus(reason))
  }
}

async function answerStream(dispatcher: Dispatcher, path: string, call: StreamCall): Promise<void> {
  using caller = followCaller(call)
  const { signal } = caller
  try {
    for await (const message of dispatcher.serverStream(path, call.request, { signal, trace: traceOf(call) })) {
      if (signal.aborted) return
      if (!call.write(message)) await drained(call, signal)
    }
    call.end()
  } catch (reason) {
    call.emit('error', grpcStatus(reason))
  }
}

function traceOf({ metadata }: { readonly metadata: Metadata }): SpanContext | undefined {
  const [first] = metadata.get('traceparent')
  return first === undefined ? undefined : parseTraceparent(String(first))
}

// grpc-js also emits `cancelled` after every response; by then there is no listener.
function followCaller(call: EventEmitter & { readonly cancelled: boolean }): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const onCancelled = (): void => controller.abort(callerGone())
  if (call.cancelled) onCancelled()
  call.on('cancelled', onCancelled)
  return { signal: controller.signal, [Symbol.dispose]: () => void call.off('cancelled', onCancelled) }
}

// Resolves when the stream accepts more, or when its reader has gone.
const drained = (call: StreamCall, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      call.off('drain', goOn)
      signal.removeEventListener('abort', goOn)
      resolve()
    }
    call.on('drain', goOn)
    signal.addEventListener('abort', goOn)
    if (signal.aborted) goOn()
  })

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

// Dispatchers fail with a code; anything else would be a bug in this file.
function grpcStatus(reason: unknown): { code: number; details: string; metadata: Metadata } {
  const error = reason instanceof CsiError ? reason : new CsiError('INTERNAL', String(reason))
  return { code: codeNumber(error.code ?? 'INTERNAL'), details: error.detail, metadata: new Metadata() }
}
