import type { Clock } from '../base/clock.ts'
import { ProcessKilled } from './stoppable-host.ts'

/** One life of a simulated process, from its start to its end. Whatever it does after its end has no effect. */
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

  const kill = (): void => {
    if (over) return
    over = true
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
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, () => (over ? undefined : callback())),
  })
  return {
    name,
    isOver: () => over,
    inFlight: () => (over ? 0 : flying),
    call,
    killAtCall: (number, when) => void (plan = { at: calls + number, when }),
    kill,
    onEnd: (callback) => void endings.push(callback),
    clock: clockFor,
  }
}
