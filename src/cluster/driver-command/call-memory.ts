import type { Clock } from '../../base/clock.ts'
import { goCodeName } from '../../csi/index.ts'
import type { CallObserver, CallStartObserver, Rpc } from '../../csi/index.ts'
import type { CallTrouble } from './diagnose-driver.ts'

/** The calls of a driver that are running, and those that failed last. */
export interface CallMemory {
  readonly onStart: CallStartObserver
  readonly onEnd: CallObserver
  trouble(): CallTrouble
  /** The driver was restarted: what failed before says nothing about it. */
  forget(): void
}

/** `describe` says what a call is for. */
export function createCallMemory(clock: Clock, describe: (rpc: Rpc, request: unknown) => string): CallMemory {
  const running = new Map<unknown, { call: string; sinceMs: number }>()
  const failing = new Map<string, { call: string; error: string }>()
  return {
    onStart: ({ rpc, request }) =>
      void running.set(request, { call: describe(rpc, request), sinceMs: clock.monotonicMs() }),
    onEnd: ({ rpc, request, code, error }) => {
      running.delete(request)
      const call = describe(rpc, request)
      // The newest is last.
      failing.delete(call)
      // A connection that is lost or closed is no answer of the driver. Another call for the same volume is no failure either.
      if (error && code && !NO_FAILURE.has(code))
        failing.set(call, { call, error: `${goCodeName(code)}: ${error.detail}` })
    },
    trouble: () => {
      const [oldest] = running.values()
      const last = [...failing.values()].at(-1)
      return {
        ...(oldest ? { running: { call: oldest.call, forMs: clock.monotonicMs() - oldest.sinceMs } } : {}),
        ...(last ? { failing: last } : {}),
      }
    },
    forget: () => {
      running.clear()
      failing.clear()
    },
  }
}

const NO_FAILURE: ReadonlySet<string> = new Set(['UNAVAILABLE', 'CANCELLED', 'ABORTED', 'UNIMPLEMENTED'])
