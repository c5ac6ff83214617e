/** How many calls may be under way at once, and what is known about that number. */
export type LimitState = {
  readonly limit: number
  /** The calls that were answered per second with an earlier limit, or with this one. */
  readonly proven?: { readonly limit: number; readonly perSecond: number } | undefined
  /** The limit has just been raised, and has to show that this is of use; or lowered, and has to show that this does no harm. */
  readonly trial: 'up' | 'down' | undefined
  /** The direction of the next trial. */
  readonly next: 'up' | 'down'
  /** Before that, no other limit is tried. */
  readonly nextTrialMs: number
  /** When the other side was last found overloaded. */
  readonly shrunkAtMs: number
}

export type LimitRules = {
  readonly start: number
  /** Never fewer, however overloaded the other side is. */
  readonly floor: number
  /** Never more. */
  readonly ceiling: number
  /** How long the limit stays after a trial that was of no use. */
  readonly restMs: number
}

export type LimitEvent =
  /** Calls were waiting for their turn all the time, and so many were answered per second. */
  | { readonly kind: 'measured'; readonly perSecond: number; readonly nowMs: number }
  /** A call that began at that time was answered with "too much", or not in time. */
  | { readonly kind: 'overloaded'; readonly startedMs: number; readonly nowMs: number }

const GROWTH = 1.5
// Half as many calls more have to bring at least this. With a busy server, they only wait longer.
const LEAST_GAIN = 1.1
const MOST_LOSS = 0.95
// With the same limit, this is a server that answers much more slowly than before.
const COLLAPSE = 0.5
const STEP_BACK = 0.75
const OVERLOAD_SHARE = 0.5

export const firstLimit = ({ start, ceiling }: LimitRules): LimitState => ({
  limit: Math.min(start, ceiling),
  trial: undefined,
  next: 'up',
  nextTrialMs: 0,
  shrunkAtMs: Number.NEGATIVE_INFINITY,
})

/**
 * The next limit: it grows as long as more calls at once mean more answers per second, shrinks as long as fewer mean no fewer answers, steps back at once
 * when answers become much slower, and halves when the other side is overloaded.
 */
export function nextLimit(state: LimitState, event: LimitEvent, rules: LimitRules): LimitState {
  const { limit, proven, trial, shrunkAtMs } = state
  const { nowMs } = event
  const rest = { trial: undefined, nextTrialMs: nowMs + rules.restMs }
  if (event.kind === 'overloaded') {
    // Many calls fail at once for the same reason.
    if (event.startedMs <= shrunkAtMs) return state
    const less = Math.min(limit, Math.max(rules.floor, Math.floor(limit * OVERLOAD_SHARE)))
    return { ...rest, next: 'up', limit: less, proven: undefined, shrunkAtMs: nowMs }
  }
  const { perSecond } = event
  if (!proven) return tryNext({ ...state, proven: { limit, perSecond } }, nowMs, rules)
  if (trial === 'up' && perSecond < proven.perSecond * LEAST_GAIN)
    return { ...state, ...rest, limit: proven.limit, next: proven.limit > rules.start ? 'down' : 'up' }
  if (trial === 'down' && perSecond < proven.perSecond * MOST_LOSS)
    return { ...state, ...rest, limit: proven.limit, next: 'up' }
  if (trial) return tryNext({ ...state, proven: { limit, perSecond }, next: trial, nextTrialMs: nowMs }, nowMs, rules)
  if (perSecond < proven.perSecond * COLLAPSE)
    return {
      ...state,
      ...rest,
      limit: lowered(limit, rules),
      proven: { limit: lowered(limit, rules), perSecond },
      next: 'down',
    }
  return tryNext({ ...state, proven: { limit, perSecond: (proven.perSecond + perSecond) / 2 } }, nowMs, rules)
}

// Not below the start: that the machine is slow is no reason to be slower still.
const lowered = (limit: number, { start }: LimitRules): number =>
  Math.min(limit, Math.max(start, Math.floor(limit * STEP_BACK)))

function tryNext(state: LimitState, nowMs: number, rules: LimitRules): LimitState {
  const { limit, next, nextTrialMs } = state
  const raised = Math.min(rules.ceiling, Math.max(limit + 1, Math.floor(limit * GROWTH)))
  const other = next === 'up' ? raised : lowered(limit, rules)
  if (nowMs < nextTrialMs) return { ...state, trial: undefined }
  // As far as it goes: the other direction is next.
  if (other === limit)
    return { ...state, trial: undefined, next: next === 'up' ? 'down' : 'up', nextTrialMs: nowMs + rules.restMs }
  return { ...state, trial: next, limit: other }
}
