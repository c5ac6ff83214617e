import type { Logger } from '../base/logger.ts'
import { UsageError } from '../base/options/index.ts'
import { createTracer } from '../base/tracing/index.ts'
import type { SpanSink, Tracer } from '../base/tracing/index.ts'
import type * as exporter from './otlp-exporter.ts'
import type { World } from './world.ts'

export type Tracing = AsyncDisposable & {
  /** Undefined if nobody receives the spans: then nothing is recorded. */
  readonly tracer: Tracer | undefined
}

/** Records spans for the collector of the flag, and for `sink`. Disposing it sends the last ones. */
export async function openTracing(
  { otlpEndpoint }: { readonly otlpEndpoint: string },
  world: World,
  log: Logger,
  sink?: SpanSink,
): Promise<Tracing> {
  if (otlpEndpoint === '') {
    const tracer = sink && createTracer(world, sink)
    return { tracer, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const url = parseEndpoint(otlpEndpoint)
  const { clock, version } = world
  const exported = await loadExporter().then(({ openExporter }) => openExporter({ url, version, clock, log }))
  const tracer = createTracer(world, (span) => {
    exported.send(span)
    sink?.(span)
  })
  return { tracer, [Symbol.asyncDispose]: exported.close }
}

/** Only with the flag: the packages take 100 ms of CPU time and 16 MB of memory. */
async function loadExporter(): Promise<typeof exporter> {
  try {
    return await import('./otlp-exporter.ts')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      `--otlp-endpoint needs the optional packages @opentelemetry/…, which are not installed: install Holdfast without --omit=optional`,
      { cause: error },
    )
  }
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError([`--otlp-endpoint: ${JSON.stringify(text)} is not a URL such as http://127.0.0.1:4318`])
  // The base URL of all signals, as in OTEL_EXPORTER_OTLP_ENDPOINT.
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/v1/traces`
}
