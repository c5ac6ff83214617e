import { getOrAdd } from '../base/get-or-add.ts'
import { traceIdOf } from '../base/tracing/index.ts'
import type { Span } from '../base/tracing/index.ts'

/** The spans of this process, as far as they are recent. */
export interface SpanLog {
  add(span: Span): void
  /** Of the life of a claim, in the order in which they started. */
  spansOf(claimUid: string): readonly Span[]
}

// Enough for the lives of about a thousand volumes.
const MOST_SPANS = 40_000

/** Whole lives are forgotten, the one that began first before the others. */
export function createSpanLog(mostSpans = MOST_SPANS): SpanLog {
  const traces = new Map<string, Span[]>()
  let count = 0
  const forgetOldest = (): void => {
    for (const [traceId, spans] of traces) {
      if (count <= mostSpans) return
      traces.delete(traceId)
      count -= spans.length
    }
  }
  return {
    add: (span) => {
      getOrAdd(traces, span.traceId, () => []).push(span)
      if (++count > mostSpans) forgetOldest()
    },
    spansOf: (claimUid) =>
      [...(traces.get(traceIdOf(claimUid)) ?? [])].sort((one, other) => one.startMs - other.startMs),
  }
}
