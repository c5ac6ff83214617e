import { ok } from 'node:assert/strict'
import { sleep } from '../base/clock.ts'
import type { ProcessBody, ProcessWorld, SimulatedProcess, Simulation } from './simulation.ts'

/** A part of the product inside a simulated process. */
export type RunningPart = { isIdle(): boolean; stop(): Promise<void> }

/** Starts the part, and again after each failure. Time has to move while it starts, so starting is part of the life of its process. */
export function runPart({ clock, life }: ProcessWorld, start: () => Promise<RunningPart>): ProcessBody {
  let part: RunningPart | undefined
  const begin = async (): Promise<void> => {
    while (!part && !life.isOver()) {
      try {
        part = await start()
      } catch {
        if (!life.isOver()) await sleep(clock, 1000)
      }
    }
  }
  void begin()
  return { isIdle: () => part?.isIdle() ?? false, stop: async () => await part?.stop() }
}

/** The moment at which a process is killed: at its call with this number, before it happens or before its answer is seen. */
export type Crash = { readonly at: number; readonly when: 'before' | 'after' }

/** Runs a scenario with a crash before and after each call, until one makes fewer calls: `run` says whether the crash happened. */
export async function crashAtEachCall(run: (crash: Crash) => Promise<boolean>, leastCalls = 1): Promise<void> {
  let at = 1
  for (; await run({ at, when: 'before' }); at++) await run({ at, when: 'after' })
  ok(at > leastCalls, `only ${at - 1} calls were made`)
}

export type RoundOptions = {
  readonly rounds: number
  /** What a person does, this often at least and at most in each round. */
  readonly change: () => Promise<void>
  readonly changes: { readonly least?: number; readonly most: number }
  /** How often a process is killed, as a share of 1. Default 0.4. */
  readonly killShare?: number
  /** A process that is killed makes at most so many calls before. */
  readonly mostCalls: number
  readonly pauseMs: { readonly usual: number; readonly long: number }
  /** After each pause: what others do, and what must hold at any moment. */
  readonly afterPause?: () => Promise<void>
  /** How a process comes back that was killed. Default: at once. */
  readonly restart?: (process: SimulatedProcess) => Promise<void>
}

/** People change things while processes are killed and the server restarts now and then. In the end every process is running. */
export async function runRounds(
  { random, advance, restartServer }: Simulation,
  processes: readonly SimulatedProcess[],
  { change, changes: { least = 0, most }, mostCalls, pauseMs, ...options }: RoundOptions,
): Promise<void> {
  const { rounds, killShare = 0.4, afterPause, restart = (process) => process.restart() } = options
  for (let round = 0; round < rounds; round++) {
    for (let changes = least + random.below(most - least + 1); changes > 0; changes--) await change()
    for (const process of processes)
      if (random.fraction() < killShare)
        process.killAtCall(1 + random.below(mostCalls), random.fraction() < 0.5 ? 'before' : 'after')
    if (random.fraction() < 0.1) await restartServer()
    await advance(random.below(random.fraction() < 0.2 ? pauseMs.long : pauseMs.usual))
    await afterPause?.()
    for (const process of processes) {
      if (process.isRunning()) continue
      // Not everything that changes is seen while it changes.
      if (random.fraction() < 0.3) await change()
      await restart(process)
    }
  }
  // The last lives are not cut short.
  for (const process of processes) await restart(process)
}
