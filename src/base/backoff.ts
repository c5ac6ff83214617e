import type { Random } from './random.ts'

export type BackoffOptions = {
  initialMs: number
  maximumMs: number
  /** Default 2. */
  factor?: number
  /** Adds up to this share of the delay at random, so that many waiters spread out. Default 0. */
  jitter?: number
}

/** How long to wait before try number `failures + 1`; `failures` counts from 1. */
export function backoffDelayMs(options: BackoffOptions, failures: number, random: Random): number {
  const { initialMs, maximumMs, factor = 2, jitter = 0 } = options
  // Bounded before it is multiplied: no delay times infinity would be no number.
  const growth = Math.min(factor ** Math.max(0, failures - 1), Number.MAX_VALUE)
  const plain = Math.min(maximumMs, initialMs * growth)
  return plain * (1 + jitter * random.fraction())
}
