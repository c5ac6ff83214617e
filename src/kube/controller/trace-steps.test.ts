import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSilentLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createTracer, traceIdOf } from '../../base/tracing/index.ts'
import type { Span } from '../../base/tracing/index.ts'
import { defineController } from './controller-definition.ts'
import type { WaitStep } from './controller-definition.ts'
import { createHoldTable } from './hold-table.ts'
import { createPasses } from './run-passes.ts'
import { DONE } from './work-queue.ts'

const UID = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'

type Step = WaitStep | { readonly kind: 'look' | 'write' | 'fail' }

/** One pass that takes these steps. */
async function pass(kinds: readonly Exclude<Step['kind'], 'wait'>[], lives: readonly (string | undefined)[]) {
  const spans: Span[] = []
  const clock = createSimulatedClock()
  const tracer = createTracer({ clock, random: createSeededRandom(1) }, (span) => spans.push(span)).as('provisioner')
  const left = [...kinds]
  const definition = defineController<object, Step>({
    name: 'claims',
    watch: [],
    view: () => ({}),
    decide: () => {
      const kind = left.shift()
      return kind ? { kind } : { kind: 'wait', reason: { code: 'Done' } }
    },
    lifeOf: () => lives,
    perform: {
      look: () => {},
      write: () => tracer.call({ name: 'patch' }, async () => {}),
      fail: () => Promise.reject(new Error('refused')),
    },
    onError: async () => {
      await tracer.call({ name: 'patch status' }, async () => {})
      return DONE
    },
  })
  const passes = createPasses(definition, {
    events: { record: () => {}, flush: () => Promise.resolve() },
    log: createSilentLogger(),
    signal: new AbortController().signal,
    holds: createHoldTable(),
    enqueue: () => {},
    tracer,
  })
  await passes.run('default/data')
  return spans
}

describe('the spans of a controller', () => {
  test('are one for each step that made a call, with the call below it', async () => {
    const spans = await pass(['look', 'write'], [UID])
    deepEqual(
      spans.map(({ name, part, traceId }) => [name, part, traceId]),
      [
        ['patch', 'provisioner', traceIdOf(UID)],
        ['write', 'provisioner', traceIdOf(UID)],
      ],
    )
    equal(spans[0]?.parentSpanId, spans[1]?.spanId)
    deepEqual(spans[1]?.attributes, { 'holdfast.controller': 'claims', 'holdfast.key': 'default/data' })
  })
  test('include what an error causes to be written', async () => {
    const spans = await pass(['fail'], [UID])
    deepEqual(
      spans.map(({ name }) => name),
      ['patch status', 'handle-error'],
    )
  })
  test('are in the trace of each life once', async () => {
    const spans = await pass(['write'], [UID, 'other', UID])
    deepEqual(
      spans.filter(({ name }) => name === 'write').map(({ traceId }) => traceId),
      [traceIdOf(UID), traceIdOf('other')],
    )
  })
  test('are none for what belongs to no life', async () => {
    deepEqual(await pass(['write'], []), [])
    deepEqual(await pass(['write'], [undefined]), [])
  })
})
