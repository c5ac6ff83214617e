import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Registry } from 'prom-client'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { sleep } from '../../base/clock.ts'
import { createQueueMetrics } from './queue-metrics.ts'
import { createWorkQueue } from './work-queue.ts'
import type { WorkResult } from './work-queue.ts'

function openMeasured(lanes: Record<string, number> = { default: 1 }) {
  const clock = createSimulatedClock()
  const registry = new Registry()
  const observe = createQueueMetrics(registry, clock).observerOf('attacher')
  const queue = createWorkQueue({
    clock,
    random: createSeededRandom(1),
    lanes,
    observe,
    backoff: { initialMs: 100, maximumMs: 100 },
  })
  const value = async (line: string): Promise<number | undefined> => {
    const found = (await registry.metrics()).split('\n').find((each) => each.startsWith(`${line} `))
    return found === undefined ? undefined : Number(found.slice(line.length))
  }
  return { clock, queue, value }
}

describe('queue metrics', () => {
  it('are found under the names that dashboards know', async () => {
    const { clock, queue, value } = openMeasured()
    const results: WorkResult[] = [{ kind: 'failed' }, { kind: 'done' }]
    queue.start(() => sleep(clock, 2000).then(() => results.shift() ?? { kind: 'done' }))
    queue.add('a')
    queue.add('b')
    await clock.advance(1000)
    assert.equal(await value('workqueue_depth{name="attacher"}'), 1)
    assert.equal(await value('workqueue_adds_total{name="attacher"}'), 2)
    assert.equal(await value('workqueue_unfinished_work_seconds{name="attacher"}'), 1)
    assert.equal(await value('workqueue_longest_running_processor_seconds{name="attacher"}'), 1)
    await clock.advance(20_000)
    assert.equal(await value('workqueue_depth{name="attacher"}'), 0)
    assert.equal(await value('workqueue_adds_total{name="attacher"}'), 3)
    assert.equal(await value('workqueue_retries_total{name="attacher"}'), 1)
    assert.equal(await value('workqueue_work_duration_seconds_count{name="attacher"}'), 3)
    assert.equal(await value('workqueue_work_duration_seconds_sum{name="attacher"}'), 6)
    // b waited 2 s for the only worker, and the second pass for a waited until b was done.
    assert.equal(await value('workqueue_queue_duration_seconds_count{name="attacher"}'), 3)
    assert.equal(await value('workqueue_queue_duration_seconds_sum{name="attacher"}'), 2 + 1.9)
    assert.equal(await value('workqueue_unfinished_work_seconds{name="attacher"}'), 0)
    assert.equal(await value('workqueue_longest_running_processor_seconds{name="attacher"}'), 0)
  })

  it('tell the longest of those that run apart from all of them together', async () => {
    const { clock, queue, value } = openMeasured({ default: 2 })
    queue.start(() => sleep(clock, 60_000).then(() => ({ kind: 'done' })))
    queue.add('a')
    await clock.advance(10_000)
    queue.add('b')
    await clock.advance(5_000)
    assert.equal(await value('workqueue_longest_running_processor_seconds{name="attacher"}'), 15)
    assert.equal(await value('workqueue_unfinished_work_seconds{name="attacher"}'), 20)
  })

  it('name the lane where there is more than the usual one', async () => {
    const { clock, queue, value } = openMeasured({ attach: 1, detach: 1 })
    queue.start(() => Promise.resolve({ kind: 'done' }))
    queue.add('a', 'detach')
    await clock.advance(1)
    assert.equal(await value('workqueue_adds_total{name="attacher-detach"}'), 1)
    assert.equal(await value('workqueue_adds_total{name="attacher-attach"}'), undefined)
  })

  it('reach from ten nanoseconds to a thousand seconds', async () => {
    const { clock, queue, value } = openMeasured()
    queue.start(() => Promise.resolve({ kind: 'done' }))
    queue.add('a')
    await clock.advance(1)
    assert.equal(await value('workqueue_work_duration_seconds_bucket{le="1e-8",name="attacher"}'), 1)
    assert.equal(await value('workqueue_work_duration_seconds_bucket{le="1000",name="attacher"}'), 1)
    assert.equal(await value('workqueue_work_duration_seconds_bucket{le="10000",name="attacher"}'), undefined)
  })
})
