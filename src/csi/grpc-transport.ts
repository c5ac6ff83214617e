import type { Clock } from '../base/clock.ts'
import { CsiError } from './csi-error.ts'
import { MESSAGE_PREFIX_BYTES, receiveResponse } from './grpc/grpc-response.ts'
import type { GrpcStatus } from './grpc/grpc-response.ts'
import type { ClientStream, Http2Client } from './grpc/http2-client.ts'
import { createRequestHeaders } from './grpc/request-headers.ts'
import type { Rpc } from './rpc.ts'
import type { Transport, TransportCall } from './transport.ts'

/** Calls over a gRPC connection, until the transport is closed. */
export interface GrpcTransport extends Transport {
  /** Fails the calls in flight, and all later ones, with CANCELLED. The caller closes the connection itself. */
  close(): void
}

// The caller's own timer gives up at the deadline and cancels the call. The server gets a slightly longer deadline, so that its response does not race
// that timer with an error message of its own, which varies.
const DEADLINE_SLACK_MS = 100

export type GrpcTransportParts = {
  clock: Clock
  maxMessageBytes: number
  /** The connection. A promise while it is being made, or the status of calls while there is none. */
  connection(): Http2Client | Promise<Http2Client | GrpcStatus> | GrpcStatus
  /** The status of a call whose connection has ended. */
  lost(): GrpcStatus
}

type Ended = { code: 'OK' } | { error: CsiError }

/** The caller encodes messages, so that every transport carries the same bytes. */
export function createGrpcTransport(parts: GrpcTransportParts): GrpcTransport {
  const { clock, maxMessageBytes } = parts
  const formatHeaders = createRequestHeaders()
  const inFlight = new Set<() => void>()
  let closed = false

  /** Starts a call. `ended` is called once. The result ends the call early, and lets the server send on once the caller wants more. */
  const start = (
    rpc: Rpc,
    request: Uint8Array,
    { signal, deadlineAtMs, trace }: TransportCall,
    on: { message(bytes: Buffer): void; ended(end: Ended): void; wantsMore(): boolean },
  ): { cancel(): void; resume(): void } => {
    let stream: ClientStream | undefined
    let heldBackBytes = 0
    let isOver = false
    const end = (how: Ended): void => {
      if (isOver) return
      isOver = true
      signal.removeEventListener('abort', cancel)
      inFlight.delete(cancel)
      // Has no effect on a stream that has ended.
      stream?.cancel()
      on.ended(how)
    }
    const cancel = (): void => end({ error: signal.aborted ? CsiError.aborted(signal, rpc.name) : closedError(rpc) })
    const done = ({ code, detail }: GrpcStatus): void =>
      end(code === 'OK' ? { code } : { error: CsiError.answered(code, detail, rpc.name) })
    const send = (connection: Http2Client | GrpcStatus): void => {
      if (isOver) return
      if ('code' in connection) return done(connection)
      const headers = formatHeaders(rpc.path, { timeoutMs: deadlineAtMs - clock.nowMs() + DEADLINE_SLACK_MS, trace })
      const response = receiveResponse({ message: on.message, done }, { maxMessageBytes, lost: parts.lost })
      const data = (bytes: Buffer): void => {
        response.data(bytes)
        heldBackBytes += bytes.length
        if (on.wantsMore()) resume()
      }
      stream = connection.open({ headers, body: frameMessage(request) }, { ...response, data })
    }
    const resume = (): void => {
      stream?.consumed(heldBackBytes)
      heldBackBytes = 0
    }

    if (signal.aborted || closed) cancel()
    else if (request.length > maxMessageBytes) done(requestTooLarge(request.length, maxMessageBytes))
    else {
      signal.addEventListener('abort', cancel, { once: true })
      inFlight.add(cancel)
      const connection = parts.connection()
      if (connection instanceof Promise) void connection.then(send)
      else send(connection)
    }
    return { cancel, resume }
  }

  const unary = (rpc: Rpc, request: Uint8Array, call: TransportCall): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const messages: Buffer[] = []
      start(rpc, request, call, {
        message: (bytes) => void messages.push(bytes),
        wantsMore: () => true,
        ended: (end) => {
          if ('error' in end) return reject(end.error)
          const [message, ...others] = messages
          if (message && others.length === 0) return resolve(message)
          const detail = message ? 'the response has more than one message' : 'the response has no message'
          reject(CsiError.answered('INTERNAL', detail, rpc.name))
        },
      })
    })

  const serverStream = async function* (
    rpc: Rpc,
    request: Uint8Array,
    call: TransportCall,
  ): AsyncGenerator<Uint8Array, void> {
    const messages: Buffer[] = []
    let ended: Ended | undefined
    let wake = (): void => {}
    const running = start(rpc, request, call, {
      message: (bytes) => {
        messages.push(bytes)
        wake()
      },
      // A message that is larger than the window has to arrive completely before anybody can read it.
      wantsMore: () => messages.length === 0,
      ended: (end) => {
        ended = end
        wake()
      },
    })
    try {
      for (;;) {
        for (let message = messages.shift(); message; message = messages.shift()) yield message
        running.resume()
        const end = ended as Ended | undefined
        if (end && 'error' in end) throw end.error
        if (end) return
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      // For a reader that stopped early; has no effect on a call that has ended.
      running.cancel()
    }
  }

  const close = (): void => {
    closed = true
    for (const cancel of [...inFlight]) cancel()
  }
  return { unary, serverStream, close }
}

function frameMessage(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(MESSAGE_PREFIX_BYTES + message.length)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, MESSAGE_PREFIX_BYTES)
  return framed
}

const requestTooLarge = (bytes: number, limit: number): GrpcStatus => ({
  code: 'RESOURCE_EXHAUSTED',
  detail: `Attempted to send message with a size larger than the limit (${bytes} vs ${limit})`,
})

const closedError = (rpc: Rpc): CsiError => new CsiError('CANCELLED', 'the connection was closed', { rpc: rpc.name })
