import type { Clock, Timer } from '../../base/clock.ts'

/** Says again and again that something takes long, until it is let go. */
export function sayWhile(clock: Clock, everyMs: number, say: (tookMs: number) => void): Disposable {
  const startedMs = clock.monotonicMs()
  let timer: Timer
  const arm = (): void => {
    timer = clock.setTimer(everyMs, () => {
      say(Math.round(clock.monotonicMs() - startedMs))
      arm()
    })
  }
  arm()
  return { [Symbol.dispose]: () => timer.cancel() }
}
