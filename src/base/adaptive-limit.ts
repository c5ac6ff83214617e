import type { Clock } from './clock.ts'
import { firstLimit, nextLimit } from './next-limit.ts'
import type { LimitRules } from './next-limit.ts'

/**
 * Who goes first. `now`: what many others wait for, such as the journal. `first`: what makes a volume usable. `later`: what can wait, such as a deletion. `last`: what nobody waits for, such as an event; only
 * a few of those are under way at once, and none while others keep the other side busy.
 */
export type Urgency = 'now' | 'first' | 'later' | 'last'

/** Limits how many calls are under way at once. The limit adapts to the other side: `next-limit.ts`. */
export interface AdaptiveLimit {
  /** Undefined: go ahead. Otherwise resolves when it is the caller's turn, or rejects with the reason of the signal. */
  enter(urgency?: Urgency, signal?: AbortSignal): Promise<void> | undefined
  /** Call once for each turn. `isOverloaded`: the other side said so, or did not answer in time. */
  leave(startedMs: number, isOverloaded: boolean, urgency?: Urgency): void
  limit(): number
}

type Waiter = { readonly sinceMs: number; admit(): void }

const URGENCIES: readonly Urgency[] = ['now', 'first', 'later', 'last']
// Whoever has waited for so long goes before everybody else: nothing waits forever.
const NEVER = Number.POSITIVE_INFINITY
const PATIENCE_MS: Record<Urgency, number> = { now: NEVER, first: NEVER, later: 1000, last: 3000 }
const SHARE_OF_LAST = 1 / 8
const LEAST_BUSY = 2
// Fewer answers are chance.
const FEWEST_ANSWERS = 20

// One function, because all of it works on the same counts.
export function createAdaptiveLimit(clock: Clock, rules: LimitRules): AdaptiveLimit {
  let state = firstLimit(rules)
  const waiting: Record<Urgency, Set<Waiter>> = { now: new Set(), first: new Set(), later: new Set(), last: new Set() }
  let inFlight = 0
  let lastInFlight = 0
  let sinceMs: number | undefined
  let answers = 0
  let spentMs = 0

  const mostOfLast = (): number => Math.max(1, Math.floor(state.limit * SHARE_OF_LAST))
  const isWaiting = (): boolean => waiting.now.size > 0 || waiting.first.size > 0 || waiting.later.size > 0
  // A server works on a few requests at once: with more of them under way, every further one delays them.
  const hasRoomForLast = (): boolean =>
    lastInFlight < mostOfLast() && inFlight - lastInFlight < Math.max(LEAST_BUSY, mostOfLast())
  const canEnter = (urgency: Urgency): boolean =>
    inFlight < state.limit && (urgency !== 'last' || (hasRoomForLast() && !isWaiting()))
  const take = (urgency: Urgency): void => {
    inFlight++
    if (urgency === 'last') lastInFlight++
  }
  const nextUrgency = (): Urgency | undefined => {
    const nowMs = clock.monotonicMs()
    const isTired = (urgency: Urgency): boolean => {
      const { value: oldest } = waiting[urgency].values().next()
      return oldest !== undefined && nowMs - oldest.sinceMs >= PATIENCE_MS[urgency]
    }
    const tired = URGENCIES.find((urgency) => isTired(urgency) && (urgency !== 'last' || lastInFlight < mostOfLast()))
    return tired ?? URGENCIES.find((urgency) => waiting[urgency].size > 0 && (urgency !== 'last' || hasRoomForLast()))
  }
  const admit = (): void => {
    while (inFlight < state.limit) {
      const urgency = nextUrgency()
      const { value: waiter } = urgency ? waiting[urgency].values().next() : {}
      if (!urgency || !waiter) return
      waiting[urgency].delete(waiter)
      take(urgency)
      waiter.admit()
    }
  }
  /**
   * Counts an answer. Only a time in which somebody was waiting throughout shows what the limit is worth: then so many calls are under way, and the
   * time that one takes tells how many are answered per second.
   */
  const count = (startedMs: number, nowMs: number): void => {
    if (!isWaiting()) {
      sinceMs = undefined
      return
    }
    if (sinceMs === undefined) return restart(nowMs)
    // A call that began before took its time with another limit.
    if (startedMs < sinceMs) return
    answers++
    // The first of them find the other side less busy than it will be.
    if (answers <= state.limit) return
    spentMs += nowMs - startedMs
    const measured = answers - state.limit
    if (measured < Math.max(FEWEST_ANSWERS, state.limit) || spentMs <= 0) return
    state = nextLimit(state, { kind: 'measured', perSecond: (state.limit * measured * 1000) / spentMs, nowMs }, rules)
    restart(nowMs)
  }
  const restart = (nowMs: number): void => {
    sinceMs = nowMs
    answers = 0
    spentMs = 0
  }
  return {
    enter: (urgency = 'first', signal) => {
      if (signal?.aborted) return Promise.reject(signal.reason as Error)
      if (canEnter(urgency)) {
        take(urgency)
        return undefined
      }
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiting[urgency].delete(waiter)
          reject(signal?.reason as Error)
        }
        const waiter: Waiter = {
          sinceMs: clock.monotonicMs(),
          admit: () => {
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        waiting[urgency].add(waiter)
      })
    },
    leave: (startedMs, isOverloaded, urgency = 'first') => {
      inFlight--
      if (urgency === 'last') lastInFlight--
      const nowMs = clock.monotonicMs()
      if (isOverloaded) {
        state = nextLimit(state, { kind: 'overloaded', startedMs, nowMs }, rules)
        sinceMs = undefined
      } else count(startedMs, nowMs)
      admit()
    },
    limit: () => state.limit,
  }
}
