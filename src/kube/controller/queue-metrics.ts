import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import { DEFAULT_LANE } from './work-queue.ts'
import type { QueueObserver } from './work-queue.ts'

/** Measures queues with the metric names of the Go controllers, so that their dashboards work. */
export interface QueueMetrics {
  /** For the queue with this name. If there are several lanes, each has its own name: `attacher-detach`. */
  observerOf(name: string): QueueObserver
}

// From 10 ns to 1,000 s, in powers of ten.
const BUCKETS_SECONDS = Array.from({ length: 12 }, (_, index) => Number(`1e${index - 8}`))

/** Call it once for each registry: all queues share the metrics and differ in their label. */
export function createQueueMetrics(registry: Registry, clock: Clock): QueueMetrics {
  const common = { labelNames: ['name'], registers: [registry] }
  // When work on each running key started, by the name of its queue.
  const running = new Map<string, Map<string, number>>()
  const agesSeconds = (started: Map<string, number>): number[] =>
    Array.from(started.values(), (startedMs) => (clock.monotonicMs() - startedMs) / 1000)

  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys that wait for a worker', ...common })
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys that were added', ...common })
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Keys that failed and were added again',
    ...common,
  })
  const waited = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long keys waited for a worker',
    buckets: BUCKETS_SECONDS,
    ...common,
  })
  const worked = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long keys were worked on',
    buckets: BUCKETS_SECONDS,
    ...common,
  })
  new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the keys that are being worked on have taken so far, together: large when a worker is stuck',
    collect() {
      for (const [name, started] of running)
        this.set(
          { name },
          agesSeconds(started).reduce((sum, age) => sum + age, 0),
        )
    },
    ...common,
  })
  new Gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the key that was taken up first has taken so far',
    collect() {
      for (const [name, started] of running)
        this.set(
          { name },
          agesSeconds(started).reduce((most, age) => Math.max(most, age), 0),
        )
    },
    ...common,
  })

  const observerOf = (queue: string): QueueObserver => {
    const nameOf = (lane: string): string => (lane === DEFAULT_LANE ? queue : `${queue}-${lane}`)
    const runningOf = (name: string): Map<string, number> => {
      const present = running.get(name) ?? new Map<string, number>()
      running.set(name, present)
      return present
    }
    return {
      added: (lane) => adds.inc({ name: nameOf(lane) }),
      depth: (lane, count) => depth.set({ name: nameOf(lane) }, count),
      started: (lane, key, waitedMs) => {
        runningOf(nameOf(lane)).set(key, clock.monotonicMs())
        waited.observe({ name: nameOf(lane) }, waitedMs / 1000)
      },
      finished: (lane, key, tookMs) => {
        runningOf(nameOf(lane)).delete(key)
        worked.observe({ name: nameOf(lane) }, tookMs / 1000)
      },
      retried: (lane) => retries.inc({ name: nameOf(lane) }),
    }
  }
  return { observerOf }
}
