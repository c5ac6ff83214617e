import { backoffDelayMs } from '../../base/backoff.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'

/** The server's own background tasks: each key runs once at a time, runs again if it was scheduled meanwhile, and is retried if it fails. */
export interface BackgroundTasks {
  schedule(key: string, work: () => Promise<void>): void
  after(key: string, delayMs: number, work: () => Promise<void>): void
  /** Resolves when nothing is running or ready to run; tasks waiting for a delay do not count. */
  idle(): Promise<void>
  stop(): Promise<void>
}

const BACKOFF = { initialMs: 10, maximumMs: 30_000 }

export function createBackgroundTasks({
  clock,
  random,
  log,
}: {
  clock: Clock
  random: Random
  log: Logger
}): BackgroundTasks {
  const ready = new Map<string, () => Promise<void>>()
  const running = new Map<string, Promise<void>>()
  const timers = new Map<string, Timer>()
  const failures = new Map<string, number>()
  let stopped = false

  const schedule = (key: string, work: () => Promise<void>): void => {
    if (stopped) return
    timers.get(key)?.cancel()
    timers.delete(key)
    ready.set(key, work)
    if (!running.has(key)) start(key)
  }
  const start = (key: string): void => {
    const done = run(key).finally(() => {
      running.delete(key)
      if (ready.has(key) && !stopped) start(key)
    })
    running.set(key, done)
  }
  const run = async (key: string): Promise<void> => {
    // In another turn than the caller: all listeners get a change before any of them reacts to it.
    await Promise.resolve()
    const work = ready.get(key)
    ready.delete(key)
    if (!work || stopped) return
    try {
      await work()
      failures.delete(key)
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      log.warn('background task failed', { task: key, error, failures: count })
      after(key, backoffDelayMs(BACKOFF, count, random), work)
    }
  }
  const after = (key: string, delayMs: number, work: () => Promise<void>): void => {
    if (stopped || ready.has(key)) return
    timers.get(key)?.cancel()
    timers.set(
      key,
      clock.setTimer(delayMs, () => {
        timers.delete(key)
        schedule(key, work)
      }),
    )
  }
  const idle = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running.values())
  }
  const stop = async (): Promise<void> => {
    stopped = true
    for (const timer of timers.values()) timer.cancel()
    await Promise.all(running.values())
  }
  return { schedule, after, idle, stop }
}
