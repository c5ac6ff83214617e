import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'

/** Resolves when the next request may be sent. */
export type RateLimit = (signal?: AbortSignal) => Promise<void>

/** At most `burst` at once and `qps` per second over time, in call order. */
export function createRateLimit(clock: Clock, { qps, burst }: { qps: number; burst: number }): RateLimit {
  let tokens = burst
  let filledMs = clock.monotonicMs()
  return async (signal) => {
    signal?.throwIfAborted()
    const nowMs = clock.monotonicMs()
    tokens = Math.min(burst, tokens + ((nowMs - filledMs) / 1000) * qps)
    filledMs = nowMs
    // Taken immediately, even below zero: later requests wait for the debt.
    tokens -= 1
    if (tokens >= 0) return
    await sleep(clock, (-tokens / qps) * 1000, signal).catch((reason: unknown) => {
      tokens += 1
      throw reason
    })
  }
}

export const NO_LIMIT: RateLimit = () => Promise.resolve()
