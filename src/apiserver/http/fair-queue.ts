import type { Clock } from '../../base/clock.ts'
import type { User } from '../core/user.ts'
import { FairLevel } from './fair-level.ts'
import type { LevelLimits } from './fair-level.ts'
import type { RequestInfo } from './parse-request-info.ts'
import { PRIORITY_LEVELS, priorityOf } from './priority-levels.ts'
import type { PriorityLevel } from './priority-levels.ts'
import { tooManyRequests } from './refusals.ts'

/** The right to run. Returning it twice has no effect. */
export type Seat = { release(): void }

/** How busy a level is, and how many requests it has rejected. */
export type LevelUse = {
  readonly level: PriorityLevel
  readonly running: number
  readonly waiting: number
  readonly rejected: { readonly 'queue-full': number; readonly 'time-out': number }
}

export interface FairQueue {
  /** Resolves when the request may run. Rejects with 429 if too many of its user are waiting, or after a long wait. */
  enter(info: RequestInfo, user: User, onGone: (callback: () => void) => void): Seat | Promise<Seat>
  use(): LevelUse[]
  /** Running requests, those of exempt users included. */
  inflight(): { readonly mutating: number; readonly readOnly: number }
}

// As in Kubernetes, a quarter of the longest request.
const LONGEST_WAIT_MS = 15_000

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head'])

type Waiting = { run(): void }
type Level = {
  readonly turns: FairLevel
  readonly waiting: Map<string, Set<Waiting>>
  rejected: { 'queue-full': number; 'time-out': number }
}

/** One user cannot keep others waiting: the requests of each level wait in a queue for each user, and the queues take turns. */
export function createFairQueue(
  clock: Clock,
  limits: Readonly<Record<Exclude<PriorityLevel, 'exempt'>, LevelLimits>> = PRIORITY_LEVELS,
): FairQueue {
  const levels = new Map<PriorityLevel, Level>()
  for (const [name, limit] of Object.entries(limits))
    levels.set(name as PriorityLevel, {
      turns: new FairLevel(limit),
      waiting: new Map(),
      rejected: { 'queue-full': 0, 'time-out': 0 },
    })

  const running = { mutating: 0, readOnly: 0 }
  // Of an exempt request without a level.
  const seatOf = (level: Level | undefined, kind: keyof typeof running): Seat => {
    let isHeld = true
    running[kind] += 1
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        running[kind] -= 1
        if (!level) return
        const flow = level.turns.leave()
        if (flow === undefined) return
        const [first] = level.waiting.get(flow) ?? []
        first?.run()
      },
    }
  }
  const waitFor = (
    level: Level,
    { flow, kind }: { flow: string; kind: keyof typeof running },
    onGone: (callback: () => void) => void,
  ): Promise<Seat> =>
    new Promise((resolve, reject) => {
      const queue = level.waiting.get(flow) ?? new Set()
      level.waiting.set(flow, queue)
      const leaveQueue = (): boolean => {
        timer.cancel()
        const wasWaiting = queue.delete(entry)
        if (queue.size === 0) level.waiting.delete(flow)
        return wasWaiting
      }
      const entry: Waiting = {
        run: () => {
          leaveQueue()
          resolve(seatOf(level, kind))
        },
      }
      const giveUp = (isLate: boolean): void => {
        if (!leaveQueue()) return
        level.turns.abandon(flow)
        if (isLate) level.rejected['time-out'] += 1
        reject(tooManyRequests())
      }
      const timer = clock.setTimer(LONGEST_WAIT_MS, () => giveUp(true))
      queue.add(entry)
      onGone(() => giveUp(false))
    })

  return {
    enter: (info, user, onGone) => {
      const level = levels.get(priorityOf(info, user))
      const kind = READS.has(info.verb) ? 'readOnly' : 'mutating'
      if (!level) return seatOf(undefined, kind)
      switch (level.turns.arrive(user.name)) {
        case 'run':
          return seatOf(level, kind)
        case 'wait':
          return waitFor(level, { flow: user.name, kind }, onGone)
        case 'reject':
          level.rejected['queue-full'] += 1
          throw tooManyRequests()
      }
    },
    inflight: () => ({ ...running }),
    use: () =>
      [...levels].map(([level, { turns, rejected }]) => ({
        level,
        running: turns.running,
        waiting: turns.waiting,
        rejected: { ...rejected },
      })),
  }
}

/** The turn of one request: it waits for a seat once its content is there, and gives it back at its end. */
export type Turn = {
  /** The content, once the request has a seat. At once if both are there. */
  after<T>(content: T | Promise<T>): T | Promise<T>
  end(): void
}

export function createTurn(enter: () => Seat | Promise<Seat>): Turn {
  let seat: Seat | undefined
  let isOver = false
  const take = (taken: Seat): void => {
    if (isOver) taken.release()
    else seat = taken
  }
  const enterWith = <T>(content: T): T | Promise<T> => {
    const given = enter()
    if (!(given instanceof Promise)) {
      take(given)
      return content
    }
    return given.then((taken) => {
      take(taken)
      return content
    })
  }
  return {
    after: (content) => (content instanceof Promise ? content.then(enterWith) : enterWith(content)),
    end: () => {
      isOver = true
      seat?.release()
    },
  }
}
