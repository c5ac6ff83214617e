import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { HrTime, SpanContext } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import { getOrAdd } from '../base/get-or-add.ts'
import type { Logger } from '../base/logger.ts'
import type { Span } from '../base/tracing/index.ts'

export type ExporterOptions = {
  readonly url: string
  readonly version: string
  readonly clock: Clock
  readonly log: Logger
}

export interface OpenExporter {
  send(span: Span): void
  /** Sends the last spans, but does not wait long for a collector that does not respond. */
  close(): Promise<void>
}

// Room for the spans of about a thousand volumes that are created at once; more are dropped until there is room again.
const MOST_WAITING = 50_000
const BATCH = { maxQueueSize: MOST_WAITING, maxExportBatchSize: 2048, scheduledDelayMillis: 1000 }
const CLOSE_LIMIT_MS = 3000

/** Sends spans to a collector over OTLP/HTTP. OTEL_EXPORTER_OTLP_HEADERS and the other variables of the standard apply. */
export function openExporter({ url, version, clock, log }: ExporterOptions): OpenExporter {
  const processor = new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter({ url }), url, log), ...BATCH })
  const resources = new Map<string, Resource>()
  const scope = { name: 'holdfast', version }
  const resourceOf = (part: string): Resource =>
    getOrAdd(resources, part, () =>
      resourceFromAttributes({ 'service.name': part, 'service.namespace': 'holdfast', 'service.version': version }),
    )
  const close = async (): Promise<void> => {
    const ended = new AbortController()
    const closing = processor.shutdown().finally(() => ended.abort())
    await Promise.race([closing, sleep(clock, CLOSE_LIMIT_MS, ended.signal)]).catch(() => {})
  }
  return { send: (span) => processor.onEnd(readableSpan(span, resourceOf(span.part), scope)), close }
}

/** Logs when the collector stops accepting spans, and when it accepts them again. */
function reporting(exporter: SpanExporter, url: string, log: Logger): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const fails = result.code !== 0
        if (fails && !isFailing) log.warn('spans are not accepted by the collector', { url, error: result.error })
        if (!fails && isFailing) log.info('spans are accepted by the collector again', { url })
        isFailing = fails
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

const KINDS = { step: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const
const SAMPLED = 1

function readableSpan(
  span: Span,
  resource: Resource,
  instrumentationScope: { name: string; version: string },
): ReadableSpan {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error } = span
  const contextOf = (id: string): SpanContext => ({ traceId, spanId: id, traceFlags: SAMPLED })
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => contextOf(spanId),
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: { ...contextOf(parentSpanId), isRemote: kind === 'server' } }),
    startTime: timeOf(startMs),
    endTime: timeOf(endMs),
    duration: timeOf(endMs - startMs),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const timeOf = (ms: number): HrTime => [Math.trunc(ms / 1000), Math.round((ms % 1000) * 1e6)]
