import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sleep } from '../clock.ts'
import { createSeededRandom } from '../random.ts'
import { createSimulatedClock } from '../simulated-clock.ts'
import { createTracer } from './tracer.ts'
import type { Span } from './tracer.ts'

const LIFE = 'a'.repeat(32)

function setUp() {
  const clock = createSimulatedClock()
  const spans: Span[] = []
  const tracer = createTracer({ clock, random: createSeededRandom(1) }, (span) => spans.push(span))
  const named = (name: string): Span => {
    const found = spans.find((span) => span.name === name)
    ok(found, `no span ${name} in ${spans.map((span) => span.name).join(', ')}`)
    return found
  }
  return { clock, spans, tracer, named }
}

describe('a tracer', () => {
  test('records a step and, below it, its calls and their answers', async () => {
    const { clock, spans, tracer, named } = setUp()
    const work = tracer.as('provisioner').step([LIFE], { name: 'create' }, () =>
      tracer.call({ name: 'CreateVolume' }, (context) =>
        tracer.as('driver').answer(context, { name: 'answer' }, async () => {
          await sleep(clock, 5)
          await tracer.call({ name: 'backend' }, async () => {})
        }),
      ),
    )
    await clock.advance(5)
    await work
    deepEqual(
      spans.map(({ name, part, kind, traceId }) => [name, part, kind, traceId]),
      [
        ['backend', 'driver', 'client', LIFE],
        ['answer', 'driver', 'server', LIFE],
        ['CreateVolume', 'provisioner', 'client', LIFE],
        ['create', 'provisioner', 'step', LIFE],
      ],
    )
    equal(named('create').parentSpanId, undefined)
    equal(named('CreateVolume').parentSpanId, named('create').spanId)
    equal(named('answer').parentSpanId, named('CreateVolume').spanId)
    equal(named('backend').parentSpanId, named('answer').spanId)
    equal(named('CreateVolume').endMs - named('CreateVolume').startMs, 5)
  })

  test('does not record a step that makes no call', async () => {
    const { spans, tracer } = setUp()
    equal(await tracer.step([LIFE], { name: 'look' }, () => 7), 7)
    deepEqual(spans, [])
  })

  test('records a step whose only call is made after it ended', async () => {
    const { clock, spans, tracer } = setUp()
    let late: Promise<void> | undefined
    await tracer.step([LIFE], { name: 'start' }, () => {
      late = sleep(clock, 10).then(() => tracer.call({ name: 'late' }, async () => {}))
    })
    deepEqual(spans, [])
    await clock.advance(10)
    await late
    deepEqual(
      spans.map(({ name }) => name),
      ['start', 'late'],
    )
  })

  test('keeps a step without a trace out of the trace that caused it', async () => {
    const { spans, tracer } = setUp()
    await tracer.step([LIFE], { name: 'cause' }, () =>
      tracer.step([], { name: 'effect' }, () => tracer.call({ name: 'foreign' }, async () => {})),
    )
    deepEqual(spans, [])
  })

  test('records a step for several claims in each of their traces', async () => {
    const { spans, tracer } = setUp()
    await tracer.step(['b'.repeat(32), LIFE], { name: 'place' }, () => tracer.call({ name: 'bind' }, async () => {}))
    deepEqual(
      spans.map(({ name, traceId }) => `${name} ${traceId[0]}`),
      ['bind b', 'bind a', 'place b', 'place a'],
    )
  })

  test('tells steps that run at the same time apart', async () => {
    const { clock, spans, tracer } = setUp()
    const step = (name: string, traceId: string, afterMs: number) =>
      tracer.step([traceId], { name }, async () => {
        await sleep(clock, afterMs)
        await tracer.call({ name: `call of ${name}` }, async () => {})
      })
    const both = [step('one', LIFE, 20), step('two', 'b'.repeat(32), 10)]
    await clock.advance(20)
    await Promise.all(both)
    const parentOf = (name: string) => spans.find((each) => each.name === name)?.parentSpanId
    for (const name of ['one', 'two'])
      equal(parentOf(`call of ${name}`), spans.find((each) => each.name === name)?.spanId)
  })

  test('records why a call and its step failed, and passes the error on', async () => {
    const { tracer, named } = setUp()
    const failed = tracer.step([LIFE], { name: 'create' }, () =>
      tracer.call({ name: 'CreateVolume' }, () => Promise.reject(new Error('pool is full'))),
    )
    await rejects(failed, /pool is full/)
    equal(named('CreateVolume').error, 'pool is full')
    equal(named('create').error, 'pool is full')
  })

  test('records that a step failed which handles its error', async () => {
    const { tracer, named } = setUp()
    await tracer.step([LIFE], { name: 'stage' }, () =>
      tracer.call({ name: 'NodeStageVolume' }, async () => {}).then(() => tracer.noteFailure(new Error('not mounted'))),
    )
    equal(named('NodeStageVolume').error, undefined)
    equal(named('stage').error, 'not mounted')
    tracer.noteFailure(new Error('outside of a step'))
  })

  test('records no call outside of a step, nor the answer to one without a trace', async () => {
    const { spans, tracer } = setUp()
    await tracer.call({ name: 'probe' }, async (context) => equal(context, undefined))
    await tracer.answer(undefined, { name: 'probe' }, () => tracer.call({ name: 'inner' }, async () => {}))
    deepEqual(spans, [])
  })
})
