/** Time as the program sees it. Nothing else reads a clock or sets a timer. */
export interface Clock {
  /** Wall clock, in milliseconds since 1970. */
  nowMs(): number
  /** Monotonic time with an arbitrary zero, for durations and deadlines. */
  monotonicMs(): number
  /** Calls back once, after the delay. */
  setTimer(delayMs: number, callback: () => void): Timer
}

export interface Timer {
  /** Does nothing when the timer has already fired. */
  cancel(): void
}

// setTimeout fires immediately for longer delays.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The clock of the machine. Its timers keep the process alive. */
export function createSystemClock(): Clock {
  const setTimer = (delayMs: number, callback: () => void): Timer => {
    let handle: NodeJS.Timeout
    const arm = (restMs: number): void => {
      const stepMs = Math.min(Math.max(restMs, 0), LONGEST_TIMEOUT_MS)
      handle = setTimeout(() => (restMs > stepMs ? arm(restMs - stepMs) : callback()), stepMs)
    }
    arm(delayMs)
    return { cancel: () => clearTimeout(handle) }
  }
  return { nowMs: () => Date.now(), monotonicMs: () => performance.now(), setTimer }
}

/** Resolves after the delay, or rejects with the signal's reason. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Calls `act` every `periodMs` with the time since the start, until the result is disposed. */
export function repeat(clock: Clock, periodMs: number, act: (elapsedMs: number) => void): Disposable {
  const startedMs = clock.monotonicMs()
  let timer: Timer
  const arm = (): void => {
    timer = clock.setTimer(periodMs, () => {
      act(Math.round(clock.monotonicMs() - startedMs))
      arm()
    })
  }
  arm()
  return { [Symbol.dispose]: () => timer.cancel() }
}
