import type { LeaderElection } from './leader-election.ts'

/** The time during which a replica leads. */
export interface LeadershipTerm extends Disposable {
  /** Aborts when the term is over, for any reason. */
  readonly ending: AbortSignal
  /** Aborts when the lease is lost, because another replica may work from then on. Does not abort when this process is stopping. */
  readonly lost: AbortSignal
}

/** Waits until the replica leads; without an election it always does. Undefined once the signal aborts. */
export async function enterTerm(
  election: LeaderElection | undefined,
  stopping: AbortSignal,
): Promise<LeadershipTerm | undefined> {
  const lost = new AbortController()
  if (!election)
    return stopping.aborted ? undefined : { ending: stopping, lost: lost.signal, [Symbol.dispose]: () => {} }
  await untilLeading(election, stopping)
  const state = election.state()
  if (stopping.aborted || state.kind !== 'leading') return undefined
  const unwatch = election.onChange((next) => {
    if (next.kind !== 'leading' || next.term !== state.term) lost.abort(new Error('this replica no longer leads'))
  })
  return { ending: AbortSignal.any([stopping, lost.signal]), lost: lost.signal, [Symbol.dispose]: unwatch }
}

/** Also resolves if there is nothing left to wait for: the signal aborted or the election was stopped. */
function untilLeading(election: LeaderElection, stopping: AbortSignal): Promise<void> {
  const isOver = (): boolean => stopping.aborted || election.state().kind !== 'following'
  return new Promise((resolve) => {
    if (isOver()) return resolve()
    const check = (): void => {
      if (!isOver()) return
      unwatch()
      stopping.removeEventListener('abort', check)
      resolve()
    }
    const unwatch = election.onChange(check)
    stopping.addEventListener('abort', check, { once: true })
  })
}

/** Resolves when the signal aborts. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
