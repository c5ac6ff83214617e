import { nextTurn } from '../../base/next-turn.ts'

export type TurnReport = {
  /** The longest turn of the event loop: nobody else is served during it. In CPU time of this thread, so that other processes don't count. */
  readonly worstTurnMs: number
  readonly turns: number
}

export interface TurnMeter {
  stop(): Promise<TurnReport>
}

/** Measures each turn of this thread's event loop until it is stopped. The loop does not rest meanwhile. */
export function startTurnMeter(): TurnMeter {
  let isRunning = true
  let worstTurnMs = 0
  let turns = 0
  const run = async (): Promise<TurnReport> => {
    for (let last = threadCpuMs(); isRunning; turns++) {
      await nextTurn()
      const now = threadCpuMs()
      worstTurnMs = Math.max(worstTurnMs, now - last)
      last = now
    }
    return { worstTurnMs, turns }
  }
  const ended = run()
  return {
    stop: () => {
      isRunning = false
      return ended
    },
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
