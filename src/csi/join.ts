import { abandonOnAbort } from '../base/abort.ts'
import { CsiError } from './csi-error.ts'
import type { Rpc } from './rpc.ts'
import { callerGone } from './kit/dispatch.ts'
import type { Dispatcher } from './kit/dispatch.ts'
import type { Transport, TransportCall } from './transport.ts'

/**
 * Joins a server to its client in memory: the same encoding, checks and locks as over a socket. As over a socket, the handler sees that a caller gave
 * up but may continue, and only the code and text of an error reach the caller.
 */
export function joinTransport(server: Dispatcher): Transport {
  const unary = async (rpc: Rpc, request: Uint8Array, { signal, trace }: TransportCall): Promise<Uint8Array> => {
    using caller = followCaller(rpc, signal)
    try {
      return await abandonOnAbort(server.unary(rpc.path, request, { signal: caller.signal, trace }), signal)
    } catch (reason) {
      throw failure(rpc, signal, reason)
    }
  }
  const serverStream = async function* (
    rpc: Rpc,
    request: Uint8Array,
    { signal, trace }: TransportCall,
  ): AsyncGenerator<Uint8Array, void> {
    using caller = followCaller(rpc, signal)
    const messages = server.serverStream(rpc.path, request, { signal: caller.signal, trace })[Symbol.asyncIterator]()
    let ended = false
    try {
      for (;;) {
        const next = await abandonOnAbort(messages.next(), signal)
        ended = next.done === true
        if (next.done) return
        yield next.value
      }
    } catch (reason) {
      throw failure(rpc, signal, reason)
    } finally {
      if (!ended) caller.leave()
      // Not awaited: a hanging handler must not block its caller.
      void Promise.resolve(messages.return?.()).catch(() => {})
    }
  }
  return { unary, serverStream }
}

// The server only sees that its caller has gone, not why.
function followCaller(rpc: Rpc, signal: AbortSignal): Disposable & { signal: AbortSignal; leave(): void } {
  if (signal.aborted) throw CsiError.aborted(signal, rpc.name)
  const controller = new AbortController()
  const leave = (): void => controller.abort(callerGone())
  signal.addEventListener('abort', leave, { once: true })
  return { signal: controller.signal, leave, [Symbol.dispose]: () => signal.removeEventListener('abort', leave) }
}

function failure(rpc: Rpc, signal: AbortSignal, reason: unknown): CsiError {
  if (signal.aborted) return CsiError.aborted(signal, rpc.name)
  const isAnswer = reason instanceof CsiError && reason.code !== undefined
  return isAnswer ? CsiError.answered(reason.code, reason.detail, rpc.name) : CsiError.from(reason, rpc.name)
}
