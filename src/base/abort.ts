import type { Clock } from './clock.ts'

/** An abort signal with a timer. Dispose it when the work ends before the deadline, so that the timer does not stay. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
}

/** Aborts with the given reason after the delay, or with the parent's reason if the parent aborts first. */
export function startDeadline(clock: Clock, delayMs: number, reason: () => Error, parent?: AbortSignal): Deadline {
  const controller = new AbortController()
  if (parent?.aborted) {
    controller.abort(parent.reason)
    return { signal: controller.signal, [Symbol.dispose]: () => {} }
  }
  const timer = clock.setTimer(delayMs, () => controller.abort(reason()))
  const onParentAbort = (): void => controller.abort(parent?.reason)
  parent?.addEventListener('abort', onParentAbort, { once: true })
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      timer.cancel()
      parent?.removeEventListener('abort', onParentAbort)
    },
  }
}

/** Settles like the promise, or rejects with the signal's reason as soon as it aborts. The work itself is not stopped. */
export function abandonOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) {
      work.catch(() => {})
      return onAbort()
    }
    const letGo = (): void => signal.removeEventListener('abort', onAbort)
    signal.addEventListener('abort', onAbort, { once: true })
    work.finally(letGo).then(resolve, reject)
  })
}

/** Marks a branch that the compiler has proved unreachable. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
