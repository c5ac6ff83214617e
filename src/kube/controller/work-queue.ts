import { backoffDelayMs } from '../../base/backoff.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { Random } from '../../base/random.ts'

/** Observes the queue, for metrics. */
export type QueueObserver = {
  /** A key was added that was not in the queue. */
  added?(lane: string): void
  /** How many keys of the lane are waiting for a worker, on each change. */
  depth?(lane: string, depth: number): void
  /** `waitedMs`: from being added to being started. */
  started?(lane: string, key: string, waitedMs: number): void
  finished?(lane: string, key: string, tookMs: number): void
  retried?(lane: string): void
}

export type WorkQueueOptions = {
  clock: Clock
  random: Random
  /** Workers of each lane: one type of work cannot starve another. Default: one lane `default` with 10. */
  lanes?: Readonly<Record<string, number>>
  /** Default: from 5 ms, doubled each time, up to 1,000 s. */
  backoff?: BackoffOptions
  observe?: QueueObserver | undefined
}

/** The result for a key: done until something changes, to be repeated after this time at the latest, or failed. */
export type WorkResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'after'; readonly delayMs: number }
  | { readonly kind: 'failed' }

export const DONE: WorkResult = { kind: 'done' }
export const FAILED: WorkResult = { kind: 'failed' }
export const after = (delayMs: number): WorkResult => ({ kind: 'after', delayMs })

/**
 * Keys that need work. A key is processed by one worker at a time; if it is added meanwhile, it runs once more afterwards. Keys that fail are retried
 * with growing delays; adding them starts them immediately.
 */
export interface WorkQueue {
  /** Default: the first lane. A key waiting in another lane is moved. */
  add(key: string, lane?: string): void
  /** After this delay at the latest: sooner if the key is added. */
  addAfter(key: string, delayMs: number, lane?: string): void
  /** Starts the workers. Keys added before wait until then. Synchronous work returns its result, not a promise. */
  start(work: Work): void
  /** Keys that are ready or running, without those waiting for a delay. */
  depth(): number
  /** Resolves when nothing is ready or running. */
  idle(): Promise<void>
  /** Starts no more work and waits for running work, which the caller has to cancel. */
  stop(): Promise<void>
}

/** The name of the only lane if none are given. */
export const DEFAULT_LANE = 'default'
const DEFAULT_LANES: Readonly<Record<string, number>> = { [DEFAULT_LANE]: 10 }
const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 5, maximumMs: 1_000_000 }
// Then timers and sockets get a turn: after a start of the program, every object needs a pass, and leases have to be renewed meanwhile.
const MOST_STARTS_WITHOUT_A_TURN = 100

export type Work = (key: string) => WorkResult | Promise<WorkResult>

type Wish = { readonly lane: string; readonly sinceMs: number }
type Lane = { readonly workers: number; busy: number; readonly ready: Map<string, Wish> }

// One function, because all of it works on the same lanes, delays and failures.
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, random, backoff = DEFAULT_BACKOFF, observe = {} } = options
  const lanes = new Map<string, Lane>(
    Object.entries(options.lanes ?? DEFAULT_LANES).map(([name, workers]) => [
      name,
      { workers, busy: 0, ready: new Map() },
    ]),
  )
  const [firstLane = DEFAULT_LANE] = lanes.keys()
  const running = new Set<string>()
  // Added while they are running.
  const again = new Map<string, Wish>()
  const delayed = new Map<string, { timer: Timer; atMs: number }>()
  const failures = new Map<string, number>()
  const idleWaiters: (() => void)[] = []
  let work: Work | undefined
  let pumping = false
  let pumpAgain = false
  let startsLeft = MOST_STARTS_WITHOUT_A_TURN
  let stopped = false

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name)
    if (!lane) throw new Error(`there is no lane ${name}: lanes are ${[...lanes.keys()].join(', ')}`)
    return lane
  }
  const depth = (): number => lanes.values().reduce((sum, { ready }) => sum + ready.size, running.size)

  const add = (key: string, lane = firstLane): void => {
    const { ready } = laneOf(lane)
    if (stopped) return
    cancelDelay(key)
    if (ready.has(key)) return
    const before = running.has(key) ? again.get(key) : withdraw(key)
    if (!before) observe.added?.(lane)
    const wish = { lane, sinceMs: before?.sinceMs ?? clock.monotonicMs() }
    if (running.has(key)) again.set(key, wish)
    else makeReady(key, wish)
  }
  const withdraw = (key: string): Wish | undefined => {
    for (const [name, { ready }] of lanes) {
      const wish = ready.get(key)
      if (!wish) continue
      ready.delete(key)
      observe.depth?.(name, ready.size)
      return wish
    }
    return undefined
  }
  const makeReady = (key: string, wish: Wish): void => {
    const { ready } = laneOf(wish.lane)
    ready.set(key, wish)
    observe.depth?.(wish.lane, ready.size)
    pumpSoon()
  }
  const addAfter = (key: string, delayMs: number, lane = firstLane): void => {
    if (delayMs <= 0) return add(key, lane)
    laneOf(lane)
    if (stopped) return
    const atMs = clock.monotonicMs() + delayMs
    const present = delayed.get(key)
    if (present && present.atMs <= atMs) return
    cancelDelay(key)
    delayed.set(key, { atMs, timer: clock.setTimer(delayMs, () => add(key, lane)) })
  }
  const cancelDelay = (key: string): void => {
    delayed.get(key)?.timer.cancel()
    delayed.delete(key)
  }

  // Not within `add`: the caller is not delayed, and several simultaneous changes become one pass.
  const pumpSoon = (): void => {
    if (pumping) return void (pumpAgain = true)
    pumping = true
    queueMicrotask(pumpAll)
  }
  const pumpAll = (): void => {
    pumpAgain = false
    for (const [name, lane] of lanes) pump(name, lane)
    if (startsLeft === 0) return void nextTurn().then(pumpNextTurn)
    pumping = false
    if (pumpAgain) pumpSoon()
  }
  const pumpNextTurn = (): void => {
    startsLeft = MOST_STARTS_WITHOUT_A_TURN
    pumpAll()
  }
  const pump = (name: string, lane: Lane): void => {
    for (const [key, { sinceMs }] of lane.ready) {
      if (!work || stopped || lane.busy >= lane.workers || startsLeft === 0) return
      startsLeft--
      lane.ready.delete(key)
      lane.busy++
      running.add(key)
      observe.depth?.(name, lane.ready.size)
      observe.started?.(name, key, clock.monotonicMs() - sinceMs)
      run(key, name, lane, work)
    }
  }
  const run = (key: string, name: string, lane: Lane, perform: Work): void => {
    const startedMs = clock.monotonicMs()
    const end = (result: WorkResult): void => {
      observe.finished?.(name, key, clock.monotonicMs() - startedMs)
      lane.busy--
      running.delete(key)
      settle(key, name, result)
      pumpSoon()
      tellIdle()
    }
    const result = performSafely(perform, key)
    if (result instanceof Promise) void result.then(end, () => end(FAILED))
    else end(result)
  }
  const settle = (key: string, lane: string, result: WorkResult): void => {
    const wish = again.get(key)
    again.delete(key)
    if (result.kind !== 'failed') failures.delete(key)
    else {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      observe.retried?.(lane)
      if (!wish) return addAfter(key, backoffDelayMs(backoff, count, random), lane)
    }
    if (wish) makeReady(key, wish)
    else if (result.kind === 'after') addAfter(key, result.delayMs, lane)
  }

  const tellIdle = (): void => {
    if (depth() === 0) for (const resolve of idleWaiters.splice(0)) resolve()
  }
  const idle = (): Promise<void> =>
    new Promise((resolve) => (depth() === 0 ? resolve() : void idleWaiters.push(resolve)))
  const start = (perform: Work): void => {
    work = perform
    pumpSoon()
  }
  const stop = async (): Promise<void> => {
    stopped = true
    for (const { timer } of delayed.values()) timer.cancel()
    delayed.clear()
    again.clear()
    for (const [name, { ready }] of lanes) {
      ready.clear()
      observe.depth?.(name, 0)
    }
    tellIdle()
    await idle()
  }
  return { add, addAfter, start, depth, idle, stop }
}

// Workers handle their errors themselves. An error here is a bug, and is treated as a failure of this key only.
function performSafely(perform: Work, key: string): WorkResult | Promise<WorkResult> {
  try {
    return perform(key)
  } catch {
    return FAILED
  }
}
