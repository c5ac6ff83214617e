import { Client, connectivityState, credentials } from '@grpc/grpc-js'
import type { ChannelOptions } from '@grpc/grpc-js'
import type { Clock, Timer } from '../base/clock.ts'
import { createConnectionStates } from './connection-states.ts'
import type { ConnectionState } from './connection-states.ts'
import { describeLostConnection } from './describe-lost-connection.ts'
import { createGrpcTransport } from './grpc-transport.ts'
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
  /** Largest accepted response. Default 16 MiB, for ListVolumes of a big driver. */
  maxMessageBytes?: number
  /** The driver's name once it is known, for errors. */
  driverName?: () => string | undefined
}

const DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024

const channelOptions = (maxMessageBytes: number): ChannelOptions => ({
  'grpc.default_authority': 'localhost',
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // Closing an idle connection would look like a restarted driver. This is the longest possible timer (24 days).
  'grpc.client_idle_timeout_ms': 2 ** 31 - 1,
  // Only the caller decides about retries: gRPC must not silently repeat a CreateVolume.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
})

const STAY_ALIVE_MS = 60_000

/** Starts connecting and returns immediately; `ready` resolves when the server responds. */
export function connect({
  endpoint,
  clock,
  maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
  driverName,
}: ConnectOptions): Connection {
  const path = parseEndpoint(endpoint)
  const client = new Client(`unix:${path}`, credentials.createInsecure(), channelOptions(maxMessageBytes))
  const transport = createGrpcTransport(client, {
    describeUnavailable: (detail) => describeLostConnection(detail, { path, driverName: driverName?.() }),
  })
  const channel = client.getChannel()
  const { state, move, watch, ready } = createConnectionStates(path)

  const follow = (): void => {
    if (state().kind === 'closed') return
    // Reading the state makes an idle channel connect, which is a state of its own.
    channel.getConnectivityState(true)
    const seen = channel.getConnectivityState(false)
    // In a separate microtask, because the channel calls back in the middle of its work, and a listener may close it.
    channel.watchConnectivityState(seen, Number.POSITIVE_INFINITY, () => queueMicrotask(follow))
    const next = nextConnectionState(state(), seen)
    if (next !== state()) move(next)
  }
  follow()

  const readyAlive = async (signal?: AbortSignal): Promise<void> => {
    // gRPC's timers do not keep the process alive: without this timer, it would exit while it is waiting.
    let alive: Timer
    const stayAlive = (): void => void (alive = clock.setTimer(STAY_ALIVE_MS, stayAlive))
    stayAlive()
    await ready(signal).finally(() => alive.cancel())
  }
  const close = (): void => {
    if (state().kind === 'closed') return
    transport.close()
    client.close()
    move({ kind: 'closed' })
  }
  return { transport, path, state, watch, ready: readyAlive, close }
}

/** The state after the channel was seen in this connectivity state; the same object if nothing has changed. */
export function nextConnectionState(state: ConnectionState, seen: connectivityState): ConnectionState {
  const connected = seen === connectivityState.READY
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
