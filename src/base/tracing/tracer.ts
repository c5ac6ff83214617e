import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../clock.ts'
import type { Random } from '../random.ts'
import type { SpanContext } from './trace-context.ts'

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** `step`: a decision that is carried out. `client`: a call to another program. `server`: the same call, where it is answered. */
export type SpanKind = 'step' | 'client' | 'server'

/** A span that has ended. */
export type Span = SpanContext & {
  /** Undefined for a step: nothing causes it but the state of the cluster. */
  readonly parentSpanId: string | undefined
  /** Who spent the time: `provisioner`, `node-1`, the name of a driver. */
  readonly part: string
  readonly kind: SpanKind
  readonly name: string
  /** In milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: SpanAttributes
  /** Absent if all went well. */
  readonly error?: string
}

export type SpanStart = { readonly name: string; readonly attributes?: SpanAttributes }

/** Receives every span when it has ended. Must not throw. */
export type SpanSink = (span: Span) => void

/**
 * Records what a process does for the life of an object. Code without a tracer records nothing, at no cost. The current span follows the asynchronous
 * calls that are made in it.
 */
export interface Tracer {
  /** The same tracer, for another part. */
  as(part: string): Tracer
  /** Runs a step that belongs to these traces, or to none. A step without calls is not recorded. */
  step<T>(traceIds: readonly string[], start: SpanStart, act: () => Promise<T> | T): Promise<T>
  /** Runs a call to another program, as a part of the current span. Without one, the call is not recorded, and has no context. */
  call<T>(start: SpanStart, act: (context: SpanContext | undefined) => Promise<T>): Promise<T>
  /** Runs the answer to a call. Without a parent, the answer is not recorded. */
  answer<T>(parent: SpanContext | undefined, start: SpanStart, act: () => Promise<T>): Promise<T>
  /** Records that the current span fails, for code that handles the error and does not throw it. */
  noteFailure(error: unknown): void
}

export function createTracer(
  parts: { readonly clock: Clock; readonly random: Random; readonly part?: string },
  sink: SpanSink,
): Tracer {
  const current = new AsyncLocalStorage<OpenSpan | undefined>()
  const nowMs = createExactClock(parts.clock)
  const tracerOf = (part: string): Tracer => {
    const run = async <T>(span: OpenSpan, act: () => Promise<T> | T): Promise<T> => {
      try {
        const result = await current.run(span, act)
        span.end(nowMs())
        return result
      } catch (error) {
        span.end(nowMs(), error)
        throw error
      }
    }
    const open = (kind: SpanKind, place: Place, start: SpanStart): OpenSpan =>
      new OpenSpan({ part, ...place, ...start, kind, spanId: createSpanId(parts.random), startMs: nowMs() }, sink)
    return {
      as: tracerOf,
      step: (traceIds, start, act) => {
        // Work that belongs to no trace must not be taken for that of the step which caused it.
        if (traceIds.length === 0) return current.run(undefined, async () => act())
        return run(open('step', { traceIds, parentSpanId: undefined }, start), act)
      },
      call: (start, act) => {
        const parent = current.getStore()
        if (!parent) return act(undefined)
        parent.noteCall()
        const span = open(
          'client',
          { traceIds: parent.traceIds, parentSpanId: parent.spanId, part: parent.part },
          start,
        )
        return run(span, () => act(span.context))
      },
      answer: (parent, start, act) => {
        if (!parent) return current.run(undefined, act)
        const { traceId, spanId: parentSpanId } = parent
        return run(open('server', { traceIds: [traceId], parentSpanId }, start), act)
      },
      noteFailure: (error) => current.getStore()?.noteFailure(error),
    }
  }
  return tracerOf(parts.part ?? 'holdfast')
}

/** Where a span belongs. Its part is that of the tracer, except for a call: whoever made the step makes the call. */
type Place = { readonly traceIds: readonly string[]; readonly parentSpanId: string | undefined; readonly part?: string }

type Beginning = Place & SpanStart & Pick<Span, 'part' | 'kind' | 'spanId' | 'startMs'>

class OpenSpan {
  readonly #beginning: Beginning
  readonly #sink: SpanSink
  #ending: Pick<Span, 'endMs' | 'error'> | undefined
  #isWorthKeeping: boolean
  #failure: string | undefined

  constructor(beginning: Beginning, sink: SpanSink) {
    this.#beginning = beginning
    this.#sink = sink
    this.#isWorthKeeping = beginning.kind !== 'step'
  }

  get traceIds(): readonly string[] {
    return this.#beginning.traceIds
  }

  get spanId(): string {
    return this.#beginning.spanId
  }

  get part(): string {
    return this.#beginning.part
  }

  /** What the other side of a call gets: it continues only the first of several traces. */
  get context(): SpanContext {
    return { traceId: this.traceIds[0] ?? '', spanId: this.spanId }
  }

  /** The first call makes a step worth recording, also if the call is made after the step has ended. */
  noteCall(): void {
    if (this.#isWorthKeeping) return
    this.#isWorthKeeping = true
    this.#send()
  }

  noteFailure(error: unknown): void {
    this.#failure = messageOf(error)
  }

  end(endMs: number, error?: unknown): void {
    const failure = error === undefined ? this.#failure : messageOf(error)
    this.#ending = { endMs, ...(failure === undefined ? {} : { error: failure }) }
    this.#send()
  }

  #send(): void {
    if (!this.#ending || !this.#isWorthKeeping) return
    const { traceIds, attributes = {}, ...beginning } = this.#beginning
    for (const traceId of traceIds) this.#sink({ traceId, attributes, ...beginning, ...this.#ending })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function createSpanId(random: Random): string {
  const bytes = random.bytes(8)
  // An ID of zeros is invalid.
  bytes[7] = (bytes[7] ?? 0) | 1
  return Buffer.from(bytes).toString('hex')
}

// How far the wall clock, which has whole milliseconds and may be set, may be from the time that is used.
const MOST_DRIFT_MS = 5

/** The wall clock with fractions of milliseconds: spans of one process are in the right order. */
function createExactClock(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs()
  return () => {
    const monotonicMs = clock.monotonicMs()
    const driftMs = clock.nowMs() - monotonicMs - offsetMs
    if (Math.abs(driftMs) > MOST_DRIFT_MS) offsetMs += driftMs
    return monotonicMs + offsetMs
  }
}
