import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { traceIdOf } from '../base/tracing/index.ts'
import type { Span } from '../base/tracing/index.ts'
import { createSpanLog } from './span-log.ts'

const span = (uid: string, startMs: number): Span => ({
  traceId: traceIdOf(uid),
  spanId: `${startMs}`,
  parentSpanId: undefined,
  part: 'binder',
  kind: 'step',
  name: 'bind',
  startMs,
  endMs: startMs + 1,
  attributes: {},
})

test('the span log has the spans of a claim in the order in which they started', () => {
  const log = createSpanLog()
  for (const startMs of [3, 1, 2]) log.add(span('one', startMs))
  log.add(span('two', 9))
  deepEqual(
    log.spansOf('one').map(({ startMs }) => startMs),
    [1, 2, 3],
  )
})

test('the span log forgets the oldest lives, whole, when it is full', () => {
  const log = createSpanLog(4)
  for (const [uid, startMs] of [
    ['one', 1],
    ['one', 2],
    ['two', 3],
    ['two', 4],
    ['three', 5],
  ] as const)
    log.add(span(uid, startMs))
  deepEqual(log.spansOf('one'), [])
  deepEqual([log.spansOf('two').length, log.spansOf('three').length], [2, 1])
})
