import { backoffDelayMs } from '../base/backoff.ts'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { LeaderElection } from '../kube/leader-election.ts'
import type { RunningRole } from './role.ts'

/** Where a role stands, for health and for people. */
export type RoleState = { readonly kind: 'waiting'; readonly why: string } | { readonly kind: 'working' } | { readonly kind: 'failed'; readonly error: Error } | { readonly kind: 'stopped' }

export interface SupervisedRole {
  readonly name: string
  state(): RoleState
  stop(): Promise<void>
}

export type SupervisedParts = {
  name: string
  start(signal: AbortSignal): Promise<RunningRole>
  /** Left out: the role works all the time. */
  election?: LeaderElection
  clock: Clock
  random: Random
  log: Logger
}

const BACKOFF = { initialMs: 1000, maximumMs: 300_000 }

/** Runs a role while its replica leads. A role that fails to start comes back later, and takes nobody else with it. */
export function superviseRole({ name, start, election, clock, random, log: parentLog }: SupervisedParts): SupervisedRole {
  const log = parentLog.with({ role: name })
  let state: RoleState = { kind: 'waiting', why: 'not started yet' }
  let stopped = false
  let term: AbortController | undefined
  let working: Promise<void> = Promise.resolve()

  // From the moment it may work to the moment it may not: starts the role, again after a failure, and stops it at the end.
  const work = async (signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const role = await start(signal)
        state = { kind: 'working' }
        log.info('working')
        await untilAborted(signal)
        await role.stop()
      } catch (error) {
        if (signal.aborted) break
        failures++
        state = { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) }
        log.error('the role failed to start', { error, failures })
        await sleep(clock, backoffDelayMs(BACKOFF, failures, random), signal).catch(() => {})
      }
    }
    state = stopped ? { kind: 'stopped' } : { kind: 'waiting', why: 'another replica leads' }
  }
  const begin = (): void => {
    const own = new AbortController()
    term = own
    working = working.then(() => work(own.signal))
  }
  const end = (why: string): void => {
    term?.abort(new Error(why))
    term = undefined
  }

  const unwatch = election?.onChange((next) => {
    if (next.kind === 'leading') begin()
    else end('this replica no longer leads')
  })
  if (!election || election.state().kind === 'leading') begin()
  else state = { kind: 'waiting', why: 'another replica leads' }

  const stop = async (): Promise<void> => {
    stopped = true
    unwatch?.()
    end('the sidecar stops')
    await working
    state = { kind: 'stopped' }
    // Given back only when nothing of ours is under way any more.
    await election?.stop()
  }
  return { name, state: () => state, stop }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
