import { createHash } from 'node:crypto'

/** The identity of a span, as W3C Trace Context defines it: 32 and 16 hexadecimal digits. */
export type SpanContext = { readonly traceId: string; readonly spanId: string }

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/
const VERSIONED = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/

/**
 * The trace of everything that happens to one object: its UID without the dashes. Every process derives the same trace from the object alone, and people
 * find the trace without a tool. An ID that is not a UUID is hashed.
 */
export function traceIdOf(uid: string): string {
  const digits = uid.replaceAll('-', '').toLowerCase()
  return TRACE_ID.test(digits) ? digits : createHash('sha256').update(uid).digest('hex').slice(0, 32)
}

/** The value of the `traceparent` header. The flag says that the span is recorded. */
export const formatTraceparent = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`

/** Undefined if it is not valid: then the header has to be ignored. */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId = '', spanId = ''] = VERSIONED.exec(text) ?? []
  return TRACE_ID.test(traceId) && SPAN_ID.test(spanId) ? { traceId, spanId } : undefined
}
