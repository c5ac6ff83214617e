import type { SpanContext } from '../base/tracing/index.ts'
import type { Rpc } from './rpc.ts'

/** What a transport needs for one call. The signal represents both cancellation and deadline. */
export type TransportCall = {
  signal: AbortSignal
  /** Wall-clock time at which the caller gives up, for transports that send it to the other side. */
  deadlineAtMs: number
  /** The span of the call, for transports that send it to the other side. */
  trace?: SpanContext | undefined
}

/** Carries encoded messages to a server and back. Fails with a `CsiError`. */
export interface Transport {
  unary(rpc: Rpc, request: Uint8Array, call: TransportCall): Promise<Uint8Array>
  serverStream(rpc: Rpc, request: Uint8Array, call: TransportCall): AsyncIterable<Uint8Array>
}
