import { Metadata, Server, ServerCredentials } from '@grpc/grpc-js'
import type { MethodDefinition, ServerUnaryCall, ServerWritableStream, ServiceDefinition, UntypedServiceImplementation, sendUnaryData } from '@grpc/grpc-js'
import type { Clock } from '../../base/clock.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { sleep } from '../../base/clock.ts'
import { codeNumber } from '../codes.ts'
import { CsiError } from '../csi-error.ts'
import { repairAuthority } from '../http2/repair-authority.ts'
import { parseEndpoint } from '../parse-endpoint.ts'
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
  /** The largest request that is taken. Default 4 MiB. */
  maxMessageBytes?: number
  /** Permissions of the socket. Default 0o600. */
  socketMode?: number
}

export interface RunningServer {
  readonly path: string
  /** Takes no new calls, lets running ones end for at most this long (default 10 s), then closes. */
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
  const running = new Set<Promise<unknown>>()
  for (const dispatcher of options.servers) addDispatcher(server, dispatcher, running)

  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const listener = await listenOnSocket({
    path,
    files: options.files,
    random: options.random,
    ...(options.socketMode === undefined ? {} : { mode: options.socketMode }),
    onConnection: (socket) => {
      socket.on('error', (error) => log.debug('connection failed', { error }))
      injector.injectConnection(repairAuthority(socket))
    },
  })

  const stop = async ({ graceMs = DEFAULT_GRACE_MS }: { graceMs?: number } = {}): Promise<void> => {
    await listener.close()
    const giveUp = new AbortController()
    const drained = Promise.allSettled(running).then(() => giveUp.abort())
    await Promise.race([drained, sleep(clock, graceMs, giveUp.signal).catch(() => {})])
    injector.destroy()
    server.forceShutdown()
  }
  return { path, stop }
}

function addDispatcher(server: Server, dispatcher: Dispatcher, running: Set<Promise<unknown>>): void {
  const definition: Record<string, MethodDefinition<Uint8Array, Uint8Array>> = {}
  const implementation: UntypedServiceImplementation = {}
  const track = (work: Promise<unknown>): void => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
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
      ? (call: ServerWritableStream<Uint8Array, Uint8Array>) => track(answerStream(dispatcher, rpc.path, call))
      : (call: ServerUnaryCall<Uint8Array, Uint8Array>, callback: sendUnaryData<Uint8Array>) => track(answerUnary(dispatcher, rpc.path, call, callback))
  }
  server.addService(definition as ServiceDefinition, implementation)
}

async function answerUnary(dispatcher: Dispatcher, path: string, call: ServerUnaryCall<Uint8Array, Uint8Array>, callback: sendUnaryData<Uint8Array>): Promise<void> {
  try {
    callback(null, await dispatcher.unary(path, call.request, { signal: signalOf(call) }))
  } catch (reason) {
    callback(grpcStatus(reason))
  }
}

async function answerStream(dispatcher: Dispatcher, path: string, call: ServerWritableStream<Uint8Array, Uint8Array>): Promise<void> {
  const signal = signalOf(call)
  try {
    for await (const message of dispatcher.serverStream(path, call.request, { signal })) {
      if (signal.aborted) return
      if (!call.write(message)) await drained(call, signal)
    }
    call.end()
  } catch (reason) {
    call.emit('error', grpcStatus(reason))
  }
}

function signalOf(call: { on(event: 'cancelled', listener: () => void): unknown }): AbortSignal {
  const controller = new AbortController()
  call.on('cancelled', () => controller.abort(new CsiError('CANCELLED', 'the caller has gone or its deadline has passed')))
  return controller.signal
}

const drained = (call: ServerWritableStream<Uint8Array, Uint8Array>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    call.once('drain', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

// Dispatchers fail with a code; anything else would be a mistake of this file.
function grpcStatus(reason: unknown): { code: number; details: string; metadata: Metadata } {
  const error = reason instanceof CsiError ? reason : new CsiError('INTERNAL', String(reason))
  return { code: codeNumber(error.code ?? 'INTERNAL'), details: error.detail, metadata: new Metadata() }
}
