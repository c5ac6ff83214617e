import { backoffDelayMs } from '../base/backoff.ts'
import type { BackoffOptions } from '../base/backoff.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { Random } from '../base/random.ts'

/** Told about what the queue does, for metrics. */
export type QueueObserver = {
  added?(lane: string, depth: number): void
  /** Waited: from being ready to being taken. */
  started?(lane: string, waitedMs: number): void
  finished?(lane: string, tookMs: number): void
  retried?(lane: string): void
}

export type WorkQueueOptions = {
  clock: Clock
  random: Random
  /** Workers of each lane: one kind of work can't starve another. Default: one lane `default` with 10. */
  lanes?: Readonly<Record<string, number>>
  backoff?: BackoffOptions
  observe?: QueueObserver
}

/** What became of a key: done until something changes, to be done again at the latest then, or failed. */
export type WorkResult = { kind: 'done' } | { kind: 'after'; delayMs: number } | { kind: 'failed' }

/**
 * Keys that want work. A key is on one worker at a time; asked for again meanwhile, it runs once more afterwards. Keys that
 * fail come back with growing delays; any other reason to look at them brings them back at once.
 */
export interface WorkQueue {
  add(key: string, lane?: string): void
  /** At the latest then: sooner if it is asked for. */
  addAfter(key: string, delayMs: number, lane?: string): void
  /** Starts the workers. */
  start(work: (key: string) => Promise<WorkResult>): void
  /** Keys that are ready or running; those that wait for a time are not counted. */
  depth(): number
  /** Resolves when nothing is ready or running. */
  idle(): Promise<void>
  /** Takes nothing more up and waits for what is running. */
  stop(): Promise<void>
}

const DEFAULT_LANE = 'default'
const DEFAULT_LANES: Readonly<Record<string, number>> = { [DEFAULT_LANE]: 10 }
const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 5, maximumMs: 1_000_000 }

type Entry = { lane: string; readySinceMs: number }

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, random, lanes = DEFAULT_LANES, backoff = DEFAULT_BACKOFF, observe = {} } = options
  const ready = new Map<string, Map<string, Entry>>(Object.keys(lanes).map((lane) => [lane, new Map()]))
  const running = new Map<string, string>()
  const again = new Map<string, string>()
  const delayed = new Map<string, { timer: Timer; atMs: number }>()
  const failures = new Map<string, number>()
  const busy = new Map<string, number>()
  const idleWaiters: (() => void)[] = []
  let work: ((key: string) => Promise<WorkResult>) | undefined
  let stopped = false

  const laneOf = (lane: string): Map<string, Entry> => {
    const keys = ready.get(lane)
    if (!keys) throw new Error(`there is no lane ${lane}: lanes are ${Object.keys(lanes).join(', ')}`)
    return keys
  }
  const depth = (): number => running.size + ready.values().reduce((sum, keys) => sum + keys.size, 0)

  const add = (key: string, lane = DEFAULT_LANE): void => {
    if (stopped) return
    cancelDelay(key)
    if (running.has(key)) {
      again.set(key, lane)
      return
    }
    const keys = laneOf(lane)
    // Asked for in another lane, it moves there: what a key needs may have changed.
    for (const other of ready.values()) if (other !== keys) other.delete(key)
    if (!keys.has(key)) keys.set(key, { lane, readySinceMs: clock.monotonicMs() })
    observe.added?.(lane, keys.size)
    pump(lane)
  }
  const addAfter = (key: string, delayMs: number, lane = DEFAULT_LANE): void => {
    if (stopped) return
    if (delayMs <= 0) return add(key, lane)
    const atMs = clock.monotonicMs() + delayMs
    const present = delayed.get(key)
    if (present && present.atMs <= atMs) return
    cancelDelay(key)
    delayed.set(key, { atMs, timer: clock.setTimer(delayMs, () => (delayed.delete(key), add(key, lane))) })
  }
  const cancelDelay = (key: string): void => {
    delayed.get(key)?.timer.cancel()
    delayed.delete(key)
  }

  const pump = (lane: string): void => {
    const keys = laneOf(lane)
    while (work && !stopped && keys.size > 0 && (busy.get(lane) ?? 0) < (lanes[lane] ?? 0)) {
      const [key, entry] = keys.entries().next().value as [string, Entry]
      keys.delete(key)
      running.set(key, lane)
      busy.set(lane, (busy.get(lane) ?? 0) + 1)
      observe.started?.(lane, clock.monotonicMs() - entry.readySinceMs)
      void run(key, lane, work)
    }
  }
  const run = async (key: string, lane: string, perform: (key: string) => Promise<WorkResult>): Promise<void> => {
    const startedMs = clock.monotonicMs()
    // Whoever works on a key answers for its errors; one that gets here is a mistake, and still only a failure of this key.
    const result = await perform(key).catch((): WorkResult => ({ kind: 'failed' }))
    observe.finished?.(lane, clock.monotonicMs() - startedMs)
    running.delete(key)
    busy.set(lane, (busy.get(lane) ?? 1) - 1)
    settle(key, lane, result)
    pump(lane)
    if (depth() === 0) for (const resolve of idleWaiters.splice(0)) resolve()
  }
  const settle = (key: string, lane: string, result: WorkResult): void => {
    const wanted = again.get(key)
    again.delete(key)
    if (result.kind === 'failed') {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      observe.retried?.(lane)
      if (wanted === undefined) return addAfter(key, backoffDelayMs(backoff, count, random), lane)
    } else {
      failures.delete(key)
    }
    if (wanted !== undefined) add(key, wanted)
    else if (result.kind === 'after') addAfter(key, result.delayMs, lane)
  }

  const idle = (): Promise<void> => new Promise((resolve) => (depth() === 0 ? resolve() : void idleWaiters.push(resolve)))
  const start = (perform: (key: string) => Promise<WorkResult>): void => {
    work = perform
    for (const lane of ready.keys()) pump(lane)
  }
  const stop = async (): Promise<void> => {
    stopped = true
    for (const { timer } of delayed.values()) timer.cancel()
    delayed.clear()
    for (const keys of ready.values()) keys.clear()
    again.clear()
    await idle()
  }
  return { add, addAfter, start, depth, idle, stop }
}
