import { startDeadline } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'
import type { SpanContext, Tracer } from '../base/tracing/index.ts'
import { causeChain, messageOf } from './cause-chain.ts'
import type { Code } from './codes.ts'
import { CsiError } from './csi-error.ts'
import { hideSecrets } from './printable-message.ts'
import { rpcsOf, spanOf } from './rpc.ts'
import type { ClientOf, Methods, Rpc, ServiceDefinition } from './rpc.ts'
import type { CallOptions } from './call-options.ts'
import type { Transport, TransportCall } from './transport.ts'

/** Called after every call. Must not throw: the caller would mistake that for a failure of the call. */
export type CallObserver = (call: {
  rpc: Rpc
  request: unknown
  /** Undefined for a stream and for a failed call. */
  response: unknown
  /** Undefined if the call ended without a gRPC status. */
  code: Code | undefined
  error: CsiError | undefined
  tookMs: number
}) => void

/** Called when a call starts. Must not throw. */
export type CallStartObserver = (call: { rpc: Rpc; request: unknown }) => void

export type ClientParts = {
  transport: Transport
  clock: Clock
  /** For calls without a timeout of their own. Default 15 s. */
  timeoutMs?: number
  observe?: CallObserver
  observeStart?: CallStartObserver
  /** Records the calls that are made in a step, and passes the trace on to the driver. Default: none. */
  tracer?: Tracer | undefined
}

const DEFAULT_TIMEOUT_MS = 15_000

/** Typed calls over a transport: encoding, deadlines, errors, observation. */
export function createClient<M extends Methods>(
  services: readonly ServiceDefinition[],
  parts: ClientParts,
): ClientOf<M> {
  const calls = Array.from(rpcsOf(services).values(), (rpc) => [
    rpc.key,
    rpc.responseStream ? streamCall(rpc, parts) : unaryCall(rpc, parts),
  ])
  // The keys and types of the calls come from the service definitions that M is derived from.
  return Object.freeze(Object.fromEntries(calls)) as ClientOf<M>
}

function unaryCall(rpc: Rpc, parts: ClientParts) {
  const send = async (partial: object, options: CallOptions, trace: SpanContext | undefined): Promise<unknown> => {
    const request: unknown = rpc.requestType.fromPartial(partial)
    const report = startReport(rpc, request, parts)
    using deadline = startCallDeadline(rpc, parts, options, trace)
    let response: unknown
    try {
      response = decodeResponse(rpc, await parts.transport.unary(rpc, encodeRequest(rpc, request), deadline.call))
    } catch (reason) {
      throw report({ response: undefined, ...failure(rpc, request, reason) })
    }
    report({ response, code: 'OK', error: undefined })
    return response
  }
  const { tracer } = parts
  if (!tracer) return (partial: object, options: CallOptions = {}) => send(partial, options, undefined)
  const start = spanOf(rpc)
  return (partial: object, options: CallOptions = {}) => tracer.call(start, (trace) => send(partial, options, trace))
}

function streamCall(rpc: Rpc, parts: ClientParts) {
  return async function* (partial: object, options: CallOptions = {}): AsyncGenerator<unknown, void> {
    const request: unknown = rpc.requestType.fromPartial(partial)
    const report = startReport(rpc, request, parts)
    using deadline = startCallDeadline(rpc, parts, options)
    // Applies if the reader stops before the end of the stream.
    let ending: Ending<CsiError | undefined> = { response: undefined, code: 'CANCELLED', error: undefined }
    try {
      for await (const bytes of parts.transport.serverStream(rpc, encodeRequest(rpc, request), deadline.call)) {
        yield decodeResponse(rpc, bytes)
      }
      ending = { ...ending, code: 'OK' }
    } catch (reason) {
      ending = { ...ending, ...failure(rpc, request, reason) }
      throw ending.error
    } finally {
      report(ending)
    }
  }
}

function startCallDeadline(
  rpc: Rpc,
  parts: ClientParts,
  options: CallOptions,
  trace?: SpanContext,
): Disposable & { call: TransportCall } {
  const timeoutMs = options.timeoutMs ?? parts.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const tooLate = (): Error => new CsiError('DEADLINE_EXCEEDED', `no answer within ${timeoutMs} ms`, { rpc: rpc.name })
  const deadline = startDeadline(parts.clock, timeoutMs, tooLate, options.signal)
  return {
    call: { signal: deadline.signal, deadlineAtMs: parts.clock.nowMs() + timeoutMs, trace },
    [Symbol.dispose]: () => deadline[Symbol.dispose](),
  }
}

function encodeRequest(rpc: Rpc, request: unknown): Uint8Array {
  try {
    return rpc.requestType.encode(request).finish()
  } catch (cause) {
    // Never sent, for example because a number is out of range: certainly failed, unlike a response without a status.
    throw new CsiError('INVALID_ARGUMENT', `the request can't be encoded: ${messageOf(cause)}`, {
      rpc: rpc.name,
      cause,
    })
  }
}

function decodeResponse(rpc: Rpc, bytes: Uint8Array): unknown {
  try {
    return rpc.responseType.decode(bytes)
  } catch (cause) {
    // The driver answered, so it may have done the work: no status, hence in doubt.
    throw new CsiError(undefined, 'the response is not a valid message', { rpc: rpc.name, cause })
  }
}

// Limits messages for status, events, logs and recorded failures. A driver may return a message of any length.
const LONGEST_DETAIL = 4096
const shortened = (detail: string): string => `${detail.slice(0, LONGEST_DETAIL)}…`.toWellFormed()

// A driver may quote the request in its error. Fields marked as secret must not leak that way, nor in a cause.
function failure(rpc: Rpc, request: unknown, reason: unknown): { code: Code | undefined; error: CsiError } {
  const plain = CsiError.from(reason, rpc.name)
  const hide = (text: string): string => hideSecrets(rpc.requestName, request, text)
  const isClean = causeChain(plain).every((link) => hide(messageOf(link)) === messageOf(link))
  const hidden = isClean ? plain : new CsiError(plain.code, hide(plain.detail), { rpc: rpc.name })
  // Shortened last: a truncated secret would not be found.
  const error =
    hidden.detail.length > LONGEST_DETAIL
      ? new CsiError(hidden.code, shortened(hidden.detail), { rpc: rpc.name })
      : hidden
  return { code: error.code, error }
}

type Ending<E> = { response: unknown; code: Code | undefined; error: E }

function startReport(rpc: Rpc, request: unknown, { clock, observe, observeStart }: ClientParts) {
  const startedMs = clock.monotonicMs()
  observeStart?.({ rpc, request })
  return <E extends CsiError | undefined>(ending: Ending<E>): E => {
    observe?.({ rpc, request, tookMs: clock.monotonicMs() - startedMs, ...ending })
    return ending.error
  }
}
