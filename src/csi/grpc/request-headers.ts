import { formatTraceparent } from '../../base/tracing/index.ts'
import type { SpanContext } from '../../base/tracing/index.ts'
import { encodeHeaderBlock } from '../http2/hpack-encoder.ts'

const encode = (headers: Readonly<Record<string, string>>): Buffer =>
  encodeHeaderBlock({
    tableSizes: [],
    fields: Object.entries(headers).map(([name, value]) => ({ name, value, neverIndexed: false })),
  })

const LARGEST_TIMEOUT = 99_999_999

const formatTimeout = (timeoutMs: number): string => {
  const wholeMs = Math.max(1, Math.ceil(timeoutMs))
  if (wholeMs <= LARGEST_TIMEOUT) return `${wholeMs}m`
  return `${Math.min(LARGEST_TIMEOUT, Math.ceil(wholeMs / 1000))}S`
}

export type RequestHeaders = (path: string, call: { timeoutMs: number; trace: SpanContext | undefined }) => Buffer

/** Formats the headers of gRPC calls. What is the same for all calls of a method is encoded once. */
export function createRequestHeaders(): RequestHeaders {
  const byPath = new Map<string, Buffer>()
  const constantPart = (path: string): Buffer => {
    let block = byPath.get(path)
    if (!block) {
      block = encode({
        ':method': 'POST',
        ':scheme': 'http',
        ':path': path,
        ':authority': 'localhost',
        te: 'trailers',
        'content-type': 'application/grpc',
        'user-agent': 'holdfast',
      })
      byPath.set(path, block)
    }
    return block
  }
  return (path, { timeoutMs, trace }) =>
    Buffer.concat([
      constantPart(path),
      encode({
        'grpc-timeout': formatTimeout(timeoutMs),
        // As W3C Trace Context and OpenTelemetry ask for it.
        ...(trace && { traceparent: formatTraceparent(trace) }),
      }),
    ])
}
