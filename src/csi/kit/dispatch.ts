import type { Logger } from '../../base/logger.ts'
import type { Tracer } from '../../base/tracing/index.ts'
import { causeChain, messageOf } from '../cause-chain.ts'
import { CsiError } from '../csi-error.ts'
import { hideSecrets } from '../printable-message.ts'
import { rpcsOf, spanOf } from '../rpc.ts'
import type { CallContext, HandlersOf, Methods, Rpc, ServiceDefinition } from '../rpc.ts'
import { statusOf } from './status-of.ts'

/** A server without its socket: encoded messages in and out. Fails with a `CsiError` that has a code. */
export interface Dispatcher {
  readonly rpcs: ReadonlyMap<string, Rpc>
  unary(path: string, request: Uint8Array, call: CallContext): Promise<Uint8Array>
  serverStream(path: string, request: Uint8Array, call: CallContext): AsyncIterable<Uint8Array>
}

/** The reason with which the signal of a handler aborts. */
export const callerGone = (): CsiError =>
  new CsiError('CANCELLED', 'the caller disconnected or its deadline has passed')

/** Runs around every handler: checks, locks. Calls `handle` or throws. */
export type Guard = {
  unary(rpc: Rpc, request: object, handle: () => Promise<object>): Promise<object>
  serverStream(rpc: Rpc, request: object, handle: () => AsyncIterable<object>): AsyncIterable<object>
}

type UnaryHandler = (request: object, call: CallContext) => Promise<object>
type StreamHandler = (request: object, call: CallContext) => AsyncIterable<object>

export type DispatcherParts<M extends Methods> = {
  services: readonly ServiceDefinition[]
  handlers: HandlersOf<M>
  guard?: Guard
  log: Logger
  /** Records the answers to calls that carry a trace. Default: none. */
  tracer?: Tracer | undefined
}

/** Connects handlers to the wire format of their services. Every failure has a code and contains no secrets. */
export function createDispatcher<M extends Methods>({
  services,
  handlers,
  guard = NO_GUARD,
  log,
  tracer,
}: DispatcherParts<M>): Dispatcher {
  const rpcs = new Map(Array.from(rpcsOf(services).values(), (rpc) => [rpc.path, rpc]))

  const find = <H>(path: string): { rpc: Rpc; handler: H } => {
    const rpc = rpcs.get(path)
    const handler = rpc && handlers[rpc.key]
    if (!rpc || !handler) throw new CsiError('UNIMPLEMENTED', `${rpc?.name ?? path} is not implemented by this driver`)
    // The table of handlers is typed by the definitions from which the rpcs are derived.
    return { rpc, handler: handler as H }
  }

  const answer = async (path: string, bytes: Uint8Array, call: CallContext): Promise<Uint8Array> => {
    let request: object | undefined
    try {
      const { rpc, handler } = find<UnaryHandler>(path)
      request = decodeRequest(rpc, bytes)
      const received = request
      return encodeResponse(rpc, await guard.unary(rpc, received, () => handler(received, call)))
    } catch (reason) {
      throw outgoing(rpcs.get(path), request, reason, log)
    }
  }

  const unary: typeof answer = (path, bytes, call) => {
    const rpc = tracer && call.trace ? rpcs.get(path) : undefined
    if (!tracer || !rpc) return answer(path, bytes, call)
    return tracer.answer(call.trace, spanOf(rpc), () => answer(path, bytes, call))
  }

  const serverStream = async function* (
    path: string,
    bytes: Uint8Array,
    call: CallContext,
  ): AsyncGenerator<Uint8Array, void> {
    let request: object | undefined
    try {
      const { rpc, handler } = find<StreamHandler>(path)
      request = decodeRequest(rpc, bytes)
      const received = request
      for await (const message of guard.serverStream(rpc, received, () => handler(received, call)))
        yield encodeResponse(rpc, message)
    } catch (reason) {
      throw outgoing(rpcs.get(path), request, reason, log)
    }
  }
  return { rpcs, unary, serverStream }
}

const NO_GUARD: Guard = {
  unary: (_rpc, _request, handle) => handle(),
  serverStream: (_rpc, _request, handle) => handle(),
}

function decodeRequest(rpc: Rpc, bytes: Uint8Array): object {
  try {
    return rpc.requestType.decode(bytes) as object
  } catch (cause) {
    throw new CsiError('INVALID_ARGUMENT', 'the request is not a valid message', { cause })
  }
}

const encodeResponse = (rpc: Rpc, response: object): Uint8Array =>
  rpc.responseType.encode(rpc.responseType.fromPartial(response)).finish()

// The detail is sent as a header, which must be small and must not contain half a character.
const LONGEST_DETAIL = 4096
const shortened = (detail: string): string =>
  (detail.length > LONGEST_DETAIL ? `${detail.slice(0, LONGEST_DETAIL)}…` : detail).toWellFormed()

// Without its cause: only code and detail are sent, and the causes may contain fields marked as secret.
function outgoing(rpc: Rpc | undefined, request: object | undefined, reason: unknown, log: Logger): CsiError {
  const hide = (text: string): string => (rpc && request ? hideSecrets(rpc.requestName, request, text) : text)
  const { code, detail } = statusOf(reason)
  const status = new CsiError(code, shortened(hide(detail)))
  // An error without a code is a bug in the driver, and only here its stack is still available.
  if (code === 'INTERNAL' && !(reason instanceof CsiError && reason.code === 'INTERNAL')) {
    const causes = causeChain(reason)
      .slice(1)
      .map((cause) => hide(messageOf(cause)))
    log.error('call failed unexpectedly', { rpc: rpc?.name, error: status, at: hide(firstFrame(reason)), causes })
  } else {
    log.debug('call refused', { rpc: rpc?.name, code, detail: status.detail })
  }
  return status
}

const firstFrame = (reason: unknown): string =>
  (reason instanceof Error &&
    reason.stack
      ?.split('\n')
      .find((line) => line.trimStart().startsWith('at '))
      ?.trim()) ||
  ''
