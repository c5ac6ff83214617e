import type { Host } from '../base/host/index.ts'
import { hostThrough } from '../base/host/index.ts'
import { ProcessKilled } from '../base/life.ts'

/** A machine as one of its processes sees it. The machine itself lives on when the process is killed. */
export interface StoppableHost {
  readonly host: Host
  /**
   * Kills the process at the step with this number, counted from now: `before` it happens, or `after` it has happened and
   * before its result is seen. What it does from then on has no effect.
   */
  stopAfter(steps: number, when: 'before' | 'after'): void
  /** Steps so far. */
  steps(): number
  /** Answers that a killed process still gives are not to be believed: nobody would have got them. */
  isStopped(): boolean
}

/** Every call of a method of the host is a step, also those that only look. */
export function createStoppableHost(host: Host): StoppableHost {
  let count = 0
  let stop: { at: number; when: 'before' | 'after' } | undefined
  let stopped = false

  const step = async <T>(act: () => Promise<T>): Promise<T> => {
    if (stopped) throw new ProcessKilled()
    count++
    if (stop && count >= stop.at) {
      stopped = true
      if (stop.when === 'after') await act().catch(() => {})
      throw new ProcessKilled()
    }
    const outcome = await act().then(
      (value) => () => value,
      (error: unknown) => () => raise(error),
    )
    // Killed by a step of another call while this one was under way: it may have happened, but nobody sees it.
    if (stopped) throw new ProcessKilled()
    return outcome()
  }

  return {
    host: hostThrough(host, step),
    stopAfter: (steps, when) => {
      stop = { at: count + steps, when }
    },
    steps: () => count,
    isStopped: () => stopped,
  }
}

function raise(error: unknown): never {
  throw error
}
