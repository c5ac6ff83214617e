import type { Clock, Timer } from './clock.ts'
import { nextTurn } from './next-turn.ts'

/** A clock that only moves when it is advanced. */
export interface SimulatedClock extends Clock {
  /** Advances the time and fires due timers in order. Work triggered by a timer runs before the next timer fires. */
  advance(byMs: number): Promise<void>
  /** Advances to the next timer. False if there is none. */
  advanceToNextTimer(): Promise<boolean>
  /** Timers that have neither fired nor been cancelled. */
  pendingTimers(): number
}

type Pending = { atMs: number; order: number; callback: () => void }

/** Starts at the given wall-clock time. Timers due at the same time fire in the order in which they were set. */
export function createSimulatedClock(startMs: number = Date.UTC(2030, 0, 1)): SimulatedClock {
  let elapsedMs = 0
  let order = 0
  const pending = new Set<Pending>()

  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const timer = { atMs: elapsedMs + Math.max(delayMs, 0), order: order++, callback }
    pending.add(timer)
    return { cancel: () => void pending.delete(timer) }
  }

  const nextDue = (untilMs: number): Pending | undefined => {
    let next: Pending | undefined
    for (const timer of pending) {
      // A timer with an infinite delay is pending, but never due.
      if (timer.atMs > untilMs || timer.atMs === Number.POSITIVE_INFINITY) continue
      if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order)) next = timer
    }
    return next
  }

  const fire = async (timer: Pending): Promise<void> => {
    pending.delete(timer)
    elapsedMs = Math.max(elapsedMs, timer.atMs)
    timer.callback()
    await nextTurn()
  }

  const advance = async (byMs: number): Promise<void> => {
    const untilMs = elapsedMs + byMs
    await nextTurn()
    for (let due = nextDue(untilMs); due; due = nextDue(untilMs)) await fire(due)
    // A concurrent call may have advanced further.
    elapsedMs = Math.max(elapsedMs, untilMs)
  }

  const advanceToNextTimer = async (): Promise<boolean> => {
    await nextTurn()
    const due = nextDue(Number.POSITIVE_INFINITY)
    if (due) await fire(due)
    return due !== undefined
  }

  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    setTimer,
    advance,
    advanceToNextTimer,
    pendingTimers: () => pending.size,
  }
}
