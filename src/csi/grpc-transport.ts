import { Metadata, status } from '@grpc/grpc-js'
import type { Client, ServiceError } from '@grpc/grpc-js'
import { formatTraceparent } from '../base/tracing/index.ts'
import { codeOf } from './codes.ts'
import { CsiError } from './csi-error.ts'
import type { Rpc } from './rpc.ts'
import type { Transport, TransportCall } from './transport.ts'

/** Calls over a gRPC channel, until the transport is closed. */
export interface GrpcTransport extends Transport {
  /** Fails the calls in flight, and all later ones, with CANCELLED. The caller closes the channel itself. */
  close(): void
}

// The caller's own timer gives up at the deadline and cancels the call. gRPC gets a slightly longer deadline, so that it does not race that timer
// with an error message of its own, which varies.
const DEADLINE_SLACK_MS = 100

export type GrpcTransportOptions = {
  /** Turns gRPC's message about a failed connection into one for users. */
  describeUnavailable(detail: string): string
}

/** The caller encodes messages, so that every transport carries the same bytes. */
export function createGrpcTransport(client: Client, { describeUnavailable }: GrpcTransportOptions): GrpcTransport {
  const inFlight = new Set<{ cancel(): void }>()
  let closed = false

  const refuseIfOver = (rpc: Rpc, signal: AbortSignal): void => {
    if (signal.aborted) throw CsiError.aborted(signal, rpc.name)
    if (closed) throw closedError(rpc)
  }
  const failure = (rpc: Rpc, signal: AbortSignal, reason: unknown): CsiError => {
    if (signal.aborted) return CsiError.aborted(signal, rpc.name)
    const error = statusError(rpc, reason, describeUnavailable)
    return closed && error.code === 'CANCELLED' ? closedError(rpc) : error
  }

  const unary = async (
    rpc: Rpc,
    request: Uint8Array,
    { signal, deadlineAtMs, trace }: TransportCall,
  ): Promise<Uint8Array> => {
    refuseIfOver(rpc, signal)
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const options = { deadline: deadlineAtMs + DEADLINE_SLACK_MS }
    const call = client.makeUnaryRequest(
      rpc.path,
      asBuffer,
      asBytes,
      request,
      metadataOf(trace),
      options,
      (error, response) => {
        signal.removeEventListener('abort', cancel)
        inFlight.delete(call)
        if (error) reject(failure(rpc, signal, error))
        // Without an error there is a message: if it is missing, grpc-js reports INTERNAL itself.
        else resolve(response ?? new Uint8Array())
      },
    )
    const cancel = (): void => call.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    inFlight.add(call)
    return promise
  }

  const serverStream = async function* (
    rpc: Rpc,
    request: Uint8Array,
    { signal, deadlineAtMs, trace }: TransportCall,
  ): AsyncGenerator<Uint8Array, void> {
    refuseIfOver(rpc, signal)
    const options = { deadline: deadlineAtMs + DEADLINE_SLACK_MS }
    const call = client.makeServerStreamRequest(rpc.path, asBuffer, asBytes, request, metadataOf(trace), options)
    const cancel = (): void => call.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    inFlight.add(call)
    try {
      for await (const message of call) yield message as Uint8Array
    } catch (reason) {
      throw failure(rpc, signal, reason)
    } finally {
      signal.removeEventListener('abort', cancel)
      inFlight.delete(call)
      // For a reader that stopped early; has no effect on a call that has ended.
      call.cancel()
    }
  }

  const close = (): void => {
    closed = true
    for (const call of inFlight) call.cancel()
  }
  return { unary, serverStream, close }
}

/** As W3C Trace Context and OpenTelemetry ask for it. */
function metadataOf(trace: TransportCall['trace']): Metadata {
  const metadata = new Metadata()
  if (trace) metadata.set('traceparent', formatTraceparent(trace))
  return metadata
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const asBytes = (buffer: Buffer): Uint8Array => buffer

const closedError = (rpc: Rpc): CsiError => new CsiError('CANCELLED', 'the connection was closed', { rpc: rpc.name })

function statusError(rpc: Rpc, reason: unknown, describeUnavailable: (detail: string) => string): CsiError {
  const { code, details = '' } = reason as Partial<ServiceError>
  if (typeof code !== 'number') return CsiError.from(reason, rpc.name)
  return CsiError.answered(codeOf(code), code === status.UNAVAILABLE ? describeUnavailable(details) : details, rpc.name)
}
