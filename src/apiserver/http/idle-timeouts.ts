import type { Clock, Timer } from '../../base/clock.ts'

/** Calls back for each entry that makes no progress for too long. One timer serves all of them. */
export interface IdleTimeouts<T> {
  /** The item has made progress; the first time, it begins to be watched. */
  touch(item: T): void
  remove(item: T): void
  /** Forgets all of them. */
  stop(): void
}

export function createIdleTimeouts<T>(clock: Clock, timeoutMs: number, onIdle: (item: T) => void): IdleTimeouts<T> {
  // Ordered by the time of their last progress: who makes some goes to the end.
  const lastProgress = new Map<T, number>()
  let timer: Timer | undefined

  const arm = (delayMs: number): void => void (timer = clock.setTimer(delayMs, check))
  // Not set again at each progress: when it fires too early, it is set for what is left.
  const check = (): void => {
    timer = undefined
    const nowMs = clock.monotonicMs()
    for (const [item, sinceMs] of lastProgress) {
      const leftMs = sinceMs + timeoutMs - nowMs
      if (leftMs > 0) return arm(leftMs)
      lastProgress.delete(item)
      onIdle(item)
    }
  }
  return {
    touch: (item) => {
      lastProgress.delete(item)
      lastProgress.set(item, clock.monotonicMs())
      if (!timer) arm(timeoutMs)
    },
    remove: (item) => void lastProgress.delete(item),
    stop: () => {
      lastProgress.clear()
      timer?.cancel()
      timer = undefined
    },
  }
}
