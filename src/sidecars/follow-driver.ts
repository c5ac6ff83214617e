import { startDeadline } from '../base/abort.ts'
import { backoffDelayMs } from '../base/backoff.ts'
import { repeat, sleep } from '../base/clock.ts'
import type { Connection, Driver } from '../csi/index.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'
import type { DriverProblem } from '../storage/driver-problem.ts'
import { discoverDriver, readDriverInfo } from './discover-driver.ts'
import type { DriverFacts } from './discover-driver.ts'

/** The required parts of the connection to a driver. */
export type DriverConnection = Pick<Connection, 'path' | 'state' | 'watch' | 'ready' | 'close'>

type FollowParts = Pick<RoleWorld, 'clock' | 'random' | 'log'> & {
  driver: Driver
  connection: DriverConnection
  /** Longest wait for one response. */
  timeoutMs: number
  /** Fail instead of waiting: if the driver does not respond in time at the start, responds with an error, or is lost. */
  exitOnLoss: boolean
  /** What is wrong with the driver while it cannot be served. Not called before its name is known. */
  onProblem?(driver: string, problem: DriverProblem): void
}

const FIRST_CONNECT_LIMIT_MS = 30_000
const SAY_EVERY_MS = 5000
// A driver that is restarted may be back before anybody notices.
const TELL_AFTER_MS = 1000
const BACKOFF = { initialMs: 1000, maximumMs: 30_000 }

/**
 * Serves a driver over time: whenever it is connected, it is asked for its capabilities, and `serve` runs with them until the connection is lost (its
 * signal aborts) and it has ended. The answers of one connection are never used for the next. Ends with the signal.
 */
export async function followDriver(
  parts: FollowParts,
  serve: (facts: DriverFacts, session: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { driver, connection, timeoutMs, exitOnLoss, clock, random, log } = parts
  let times = 0
  let before: string | undefined
  const tell = (problem: DriverProblem): void => {
    if (before !== undefined && !signal.aborted) parts.onProblem?.(before, problem)
  }
  const tellNotReady = async (detail: string): Promise<void> => {
    // A driver that is not ready may still say who it is.
    before ??= await readDriverInfo(driver, connection.path, { timeoutMs, signal }).then(
      ({ name }) => name,
      () => undefined,
    )
    tell({ kind: 'not-ready', detail })
  }
  for (let failures = 0; !signal.aborted;) {
    try {
      await untilConnected(parts, times === 0, { signal, tell })
      using session = openSession(connection, signal)
      const { path } = connection
      const { signal: during } = session
      const facts = await discoverDriver(driver, {
        clock,
        log,
        path,
        timeoutMs,
        signal: during,
        onNotReady: tellNotReady,
      })
      failures = 0
      times++
      if (before !== undefined && before !== facts.name) {
        log.warn('the driver at this socket has another name than before', { path, before, driver: facts.name })
        tell({ kind: 'renamed', now: facts.name })
      }
      before = facts.name
      log.info('connected to the driver', { driver: facts.name, version: facts.version, times })
      await serve(facts, session.signal)
      if (exitOnLoss && !signal.aborted) throw new Error(`the connection to the driver at ${path} is lost`)
    } catch (error) {
      if (signal.aborted) return
      if (exitOnLoss) throw error
      // The loss of the connection is told when it lasts.
      if (connection.state().kind === 'ready') tell({ kind: 'unusable', detail: detailOf(error) })
      const delayMs = backoffDelayMs(BACKOFF, ++failures, random)
      log.error('failed to read the capabilities of the driver: asking again', { error, delayMs })
      await sleep(clock, delayMs, signal).catch(() => {})
    }
  }
}

const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function untilConnected(
  parts: FollowParts,
  isFirst: boolean,
  { signal, tell }: { signal: AbortSignal; tell(problem: DriverProblem): void },
): Promise<void> {
  const { connection, exitOnLoss, clock, log } = parts
  if (connection.state().kind === 'ready') return
  const { path } = connection
  const tooLate = (): Error => new Error(`no driver answered on ${path} within ${FIRST_CONNECT_LIMIT_MS / 1000} s`)
  const limitMs = exitOnLoss && isFirst ? FIRST_CONNECT_LIMIT_MS : Number.POSITIVE_INFINITY
  using limit = startDeadline(clock, limitMs, tooLate, signal)
  using _saying = repeat(clock, SAY_EVERY_MS, (tookMs) => log.warn('waiting for the driver', { path, tookMs }))
  using _telling = repeat(clock, TELL_AFTER_MS, () => tell({ kind: 'not-listening', socket: path }))
  log.info('waiting for the driver', { path })
  await connection.ready(limit.signal)
}

/** Aborts when the connection has changed since the beginning, even if it has already been replaced. */
function openSession(connection: DriverConnection, parent: AbortSignal): Disposable & { signal: AbortSignal } {
  const lost = new AbortController()
  const unwatch = connection.watch(({ kind }) => {
    if (kind !== 'ready') lost.abort(new Error('the connection to the driver is lost'))
  })
  if (connection.state().kind !== 'ready') lost.abort(new Error('the connection to the driver is lost'))
  return { signal: AbortSignal.any([lost.signal, parent]), [Symbol.dispose]: unwatch }
}
