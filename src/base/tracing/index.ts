export { formatTraceparent, parseTraceparent, traceIdOf } from './trace-context.ts'
export type { SpanContext } from './trace-context.ts'
export { createTracer } from './tracer.ts'
export type { Span, SpanAttributes, SpanKind, SpanSink, SpanStart, Tracer } from './tracer.ts'
