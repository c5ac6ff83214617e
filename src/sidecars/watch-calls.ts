import type { Clock } from '../base/clock.ts'
import type { Driver } from '../csi/rpc.ts'
import { SLOW_CALL_MS } from '../storage/driver-trouble.ts'

type Call = (request: object, options?: object) => unknown

/** The driver; `onSlow` is told the name of each call that runs for too long, and `onOver` when the last of them has ended. */
export function watchCalls(
  driver: Driver,
  clock: Clock,
  { onSlow, onOver }: { onSlow(call: string): void; onOver(): void },
): Driver {
  let slow = 0
  const watched = Object.entries(driver).map(([name, call]): [string, Call] => [
    name,
    (request, options) => {
      const answer = (call as Call)(request, options)
      // A stream may take as long as it wants.
      if (!(answer instanceof Promise)) return answer
      let isSlow = false
      const timer = clock.setTimer(SLOW_CALL_MS, () => {
        isSlow = true
        slow++
        onSlow(name.charAt(0).toUpperCase() + name.slice(1))
      })
      const end = (): void => {
        timer.cancel()
        if (isSlow && --slow === 0) onOver()
      }
      answer.then(end, end)
      return answer
    },
  ])
  // The same names, with calls of the same shape.
  return Object.freeze(Object.fromEntries(watched)) as unknown as Driver
}
