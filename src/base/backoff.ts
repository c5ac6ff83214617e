import type { Random } from './random.ts'

export type BackoffOptions = {
  initialMs: number
  maximumMs: number
  /** Default 2. */
  factor?: number
  /** Adds a random delay of up to this fraction, so that many retries spread out. Default 0. */
  jitter?: number
}

/** The backoff that the flags `--retry-interval-start` and `--retry-interval-max` set. */
export const backoffOf = (config: {
  readonly retryIntervalStartMs: number
  readonly retryIntervalMaxMs: number
}): BackoffOptions => ({ initialMs: config.retryIntervalStartMs, maximumMs: config.retryIntervalMaxMs })

/** Delay before attempt number `failures + 1`; `failures` starts at 1. */
export function backoffDelayMs(options: BackoffOptions, failures: number, random: Random): number {
  const { initialMs, maximumMs, factor = 2, jitter = 0 } = options
  // Limited before multiplying: a base delay of 0 times infinity would be NaN.
  const growth = Math.min(factor ** Math.max(0, failures - 1), Number.MAX_VALUE)
  const plain = Math.min(maximumMs, initialMs * growth)
  return plain * (1 + jitter * random.fraction())
}
