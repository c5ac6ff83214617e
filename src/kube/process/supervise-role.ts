import { abandonOnAbort, startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { repeat, sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { LeaderElection } from './leader-election.ts'
import { enterTerm, untilAborted } from './leadership-term.ts'
import type { RunningRole } from './running-role.ts'

/** The state of a role, for metrics and for people. */
export type RoleState =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'starting' }
  | { readonly kind: 'working' }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'stopped' }

/** What decides when a role may work. */
export type Leadership =
  | { readonly kind: 'none' }
  /** A lease of its own, released whenever the role fails, so that another replica can try. */
  | { readonly kind: 'own'; campaign(): LeaderElection }
  /** A lease of the whole process, shared with other roles: the role only observes it. */
  | { readonly kind: 'shared'; readonly election: LeaderElection }

export interface SupervisedRole {
  readonly name: string
  state(): RoleState
  /** Resolves within `STOP_LIMIT_MS` plus the time to release the lease, whatever the role does. */
  stop(): Promise<void>
}

export type SupervisedParts = {
  name: string
  /** The first signal aborts when the role must end. Once the second one aborts, the role must not send anything any more. */
  start(ending: AbortSignal, fence: AbortSignal): Promise<RunningRole>
  leadership: Leadership
  onState?(state: RoleState): void
  clock: Clock
  random: Random
  log: Logger
}

const BACKOFF = { initialMs: 1000, maximumMs: 300_000 }
// Filling caches takes as long as the API server needs to list everything; beyond this limit something hangs.
export const START_LIMIT_MS = 120_000
// Less than the 30 s that Kubernetes gives a pod, because the lease must be released too.
export const STOP_LIMIT_MS = 20_000
const SAY_EVERY_MS = 15_000

/**
 * Runs a role while its replica leads. A role that fails releases its lease and restarts later. A role that hangs during start or stop is cut off
 * from API and driver and abandoned. Neither affects other roles.
 */
export function superviseRole({
  name,
  start,
  leadership,
  onState,
  clock,
  random,
  log: parentLog,
}: SupervisedParts): SupervisedRole {
  const log = parentLog.with({ role: name })
  const stopping = new AbortController()
  let state: RoleState = { kind: 'waiting', why: 'not started yet' }
  const move = (next: RoleState): void => {
    state = next
    onState?.(next)
  }

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      const election =
        leadership.kind === 'own'
          ? leadership.campaign()
          : leadership.kind === 'shared'
            ? leadership.election
            : undefined
      const failure = await workWhileLeading(election)
      if (leadership.kind === 'own') await election?.stop()
      if (!failure) break
      failures = failure.workedMs >= BACKOFF.maximumMs ? 1 : failures + 1
      const delayMs = backoffDelayMs(BACKOFF, failures, random)
      log.error('the role failed and comes back later', { error: failure.error, failures, delayMs })
      move({ kind: 'failed', error: failure.error })
      await sleep(clock, delayMs, stopping.signal).catch(() => {})
    }
    move({ kind: 'stopped' })
  }

  /** One term after another until the role fails; undefined if there are no more terms. */
  const workWhileLeading = async (election: LeaderElection | undefined): Promise<Failure | undefined> => {
    for (;;) {
      if (election && election.state().kind !== 'leading') move({ kind: 'waiting', why: 'another replica leads' })
      using term = await enterTerm(election, stopping.signal)
      if (!term) return undefined
      const failure = await work(term.ending, term.lost)
      if (failure) return failure
    }
  }

  /** From acquiring the lease to losing it. */
  const work = async (ending: AbortSignal, lost: AbortSignal): Promise<Failure | undefined> => {
    using attempt = openAttempt(ending, lost)
    move({ kind: 'starting' })
    let role: RunningRole
    try {
      role = await startWithin(attempt)
    } catch (error) {
      return ending.aborted ? undefined : { error: asError(error), workedMs: 0 }
    }
    const startedMs = clock.monotonicMs()
    move({ kind: 'working' })
    log.info('working')
    let failure: Failure | undefined
    await abandonOnAbort(role.failed ?? untilAborted(ending), ending).catch((error: unknown) => {
      if (!ending.aborted) failure = { error: asError(error), workedMs: clock.monotonicMs() - startedMs }
    })
    move({ kind: 'stopping' })
    await stopWithin(role)
    return failure
  }

  const startWithin = async ({ ending, fence, cutOff }: Attempt): Promise<RunningRole> => {
    using _saying = repeat(clock, SAY_EVERY_MS, (tookMs) => log.warn('the role is still starting', { tookMs }))
    const tooLate = (): Error => new Error(`did not start within ${START_LIMIT_MS / 1000} s`)
    using limit = startDeadline(clock, START_LIMIT_MS, tooLate)
    const starting = start(ending, fence)
    try {
      return await abandonOnAbort(starting, AbortSignal.any([limit.signal, ending]))
    } catch (error) {
      // The role may still be starting or cleaning up: this waits for both, but not forever.
      const ended = starting.then((late) => late.stop()).catch(() => {})
      if (ending.aborted) await endWithin(ended, 'the role does not stop starting')
      cutOff(error)
      throw error
    }
  }
  const stopWithin = (role: RunningRole): Promise<void> =>
    endWithin(
      role.stop().catch((error: unknown) => log.warn('the role failed to stop cleanly', { error })),
      'the role does not stop: it is cut off and left behind',
    )
  const endWithin = async (ended: Promise<void>, otherwise: string): Promise<void> => {
    using limit = startDeadline(clock, STOP_LIMIT_MS, () => new Error(`did not end within ${STOP_LIMIT_MS / 1000} s`))
    await abandonOnAbort(ended, limit.signal).catch((error: unknown) => log.error(otherwise, { error }))
  }

  const running = run()
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('the process stops'))
    await running
  }
  return { name, state: () => state, stop }
}

type Failure = { readonly error: Error; readonly workedMs: number }

/** One attempt to run the role. However it ends, its fence is closed afterwards. */
type Attempt = Disposable & { readonly ending: AbortSignal; readonly fence: AbortSignal; cutOff(why: unknown): void }

function openAttempt(termEnding: AbortSignal, lost: AbortSignal): Attempt {
  const fence = new AbortController()
  // A role that has lost the lease must not even finish: another replica may already be working.
  const signal = AbortSignal.any([fence.signal, lost])
  const cutOff = (why: unknown): void => fence.abort(why)
  return {
    ending: AbortSignal.any([termEnding, fence.signal]),
    fence: signal,
    cutOff,
    [Symbol.dispose]: () => cutOff(new Error('the role has ended')),
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
