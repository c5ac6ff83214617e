import type { Clock, Timer } from '../../base/clock.ts'

/** Calls back for each item that makes no progress for too long. One timer serves all items. */
export interface IdleTimeouts<T> {
  /** Records progress of the item; the first call starts watching it. */
  touch(item: T): void
  remove(item: T): void
  /** Forgets all items, and ignores those that come later. */
  stop(): void
}

export function createIdleTimeouts<T>(clock: Clock, timeoutMs: number, onIdle: (item: T) => void): IdleTimeouts<T> {
  // Ordered by the time of the last progress: an item with progress moves to the end.
  const lastProgress = new Map<T, number>()
  let timer: Timer | undefined
  let isStopped = false

  const arm = (delayMs: number): void => void (timer = clock.setTimer(delayMs, check))
  // Not set again on each progress: if it fires too early, it is set for the remaining time.
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
      if (isStopped) return
      lastProgress.delete(item)
      lastProgress.set(item, clock.monotonicMs())
      if (!timer) arm(timeoutMs)
    },
    remove: (item) => void lastProgress.delete(item),
    stop: () => {
      isStopped = true
      lastProgress.clear()
      timer?.cancel()
      timer = undefined
    },
  }
}
