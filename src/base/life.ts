import type { Clock, Timer } from './clock.ts'

/** What every step of a killed process ends with. Nobody sees it, because the process is gone. */
export class ProcessKilled extends Error {
  constructor() {
    super('the process was killed')
    this.name = 'ProcessKilled'
  }
}

/** One life of a process inside this one, from its start to its end. Whatever it does after its end has no effect. */
export interface Life {
  readonly name: string
  isOver(): boolean
  /** Calls that are under way. */
  inFlight(): number
  /**
   * Runs one call of the process to the world outside. Killed before it, the call never happens; killed during it, its
   * effect stays and its answer is lost.
   */
  call<T>(act: () => Promise<T>): Promise<T>
  /** Kills the process at its call with this number, counted from now. */
  killAtCall(number: number, when: 'before' | 'after'): void
  kill(): void
  /** Calls back when the process ends, or at once if it has ended. */
  onEnd(callback: () => void): void
  /** The clock as this process sees it: its timers die with it. */
  clock(clock: Clock): Clock
}

export function createLife(name: string): Life {
  let over = false
  let flying = 0
  let calls = 0
  let plan: { at: number; when: 'before' | 'after' } | undefined
  const endings: (() => void)[] = []
  const timers = new Set<Timer>()

  const kill = (): void => {
    if (over) return
    over = true
    // A timer of a real clock would keep the real process alive.
    for (const timer of timers) timer.cancel()
    timers.clear()
    for (const ending of endings) ending()
  }
  const call = async <T>(act: () => Promise<T>): Promise<T> => {
    if (over) throw new ProcessKilled()
    calls++
    const planned = plan?.at === calls ? plan : undefined
    if (planned?.when === 'before') {
      kill()
      throw new ProcessKilled()
    }
    flying++
    try {
      const result = await act()
      if (planned) kill()
      if (over) throw new ProcessKilled()
      return result
    } catch (error) {
      throw over ? new ProcessKilled() : error
    } finally {
      flying--
    }
  }
  const clockFor = (clock: Clock): Clock => ({
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (delayMs, callback) => {
      if (over) return { cancel: () => {} }
      const timer = clock.setTimer(delayMs, () => {
        timers.delete(timer)
        if (!over) callback()
      })
      timers.add(timer)
      return {
        cancel: () => {
          timers.delete(timer)
          timer.cancel()
        },
      }
    },
  })
  return {
    name,
    isOver: () => over,
    inFlight: () => (over ? 0 : flying),
    call,
    killAtCall: (number, when) => void (plan = { at: calls + number, when }),
    kill,
    onEnd: (callback) => (over ? callback() : void endings.push(callback)),
    clock: clockFor,
  }
}
