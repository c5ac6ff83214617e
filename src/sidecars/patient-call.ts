import type { Clock } from '../base/clock.ts'
import { formatTimestamp } from '../api/timestamps.ts'
import type { CallOptions } from '../csi/call-options.ts'
import { CsiError } from '../csi/csi-error.ts'

type Call = (request: object, options?: CallOptions) => Promise<unknown>

/** A call that the driver may still be executing. */
type Unfinished = {
  /** When its first attempt was made, in milliseconds since 1970. */
  readonly firstMs: number
  readonly lastMs: number
  /** How often the driver has answered ABORTED since then. */
  readonly refusals: number
}

const DEFAULT_TIMEOUT_MS = 15_000
// Eight times the timeout, so that a driver that answers ABORTED by mistake does not keep a worker for ever.
const MOST_DOUBLINGS = 3
// What is older belongs to an object that nobody asks for any more.
const FORGOTTEN_AFTER_MS = 3_600_000

/**
 * The same call. ABORTED means that the driver is still executing an earlier one for the same object, so the timeout was too short: it doubles with each
 * ABORTED. An error of such a call says when the first attempt was made. A driver that only hangs gets the same timeout as before.
 */
export function patientCall(call: Call, clock: Clock): Call {
  const unfinished = new Map<string, Unfinished>()
  return async (request, options = {}) => {
    const known = unfinished.size > 0 ? unfinished.get(subjectOf(request)) : undefined
    const startedMs = clock.nowMs()
    const timeoutMs = (options.timeoutMs ?? DEFAULT_TIMEOUT_MS) * 2 ** Math.min(known?.refusals ?? 0, MOST_DOUBLINGS)
    try {
      const response = await call(request, known ? { ...options, timeoutMs } : options)
      if (unfinished.size > 0) unfinished.delete(subjectOf(request))
      return response
    } catch (error) {
      const key = subjectOf(request)
      const now = nextUnfinished(known, error, startedMs)
      // Inserted again, so that the map stays in the order of the last attempts.
      unfinished.delete(key)
      if (now) unfinished.set(key, now)
      forget(unfinished, startedMs - FORGOTTEN_AFTER_MS)
      throw now && known && error instanceof CsiError ? withFirstAttempt(error, now.firstMs) : error
    }
  }
}

function nextUnfinished(known: Unfinished | undefined, error: unknown, startedMs: number): Unfinished | undefined {
  if (!(error instanceof CsiError)) return undefined
  const { firstMs = startedMs, refusals = 0 } = known ?? {}
  if (error.code === 'ABORTED') return { firstMs, lastMs: startedMs, refusals: refusals + 1 }
  return error.code === 'DEADLINE_EXCEEDED' ? { firstMs, lastMs: startedMs, refusals } : undefined
}

// A time and not an age: the same error again is the same event.
const withFirstAttempt = (error: CsiError, firstMs: number): CsiError =>
  new CsiError(error.code, `${error.detail} (the first call was made at ${formatTimestamp(firstMs)})`, {
    rpc: error.rpc,
    cause: error,
  })

function forget(unfinished: Map<string, Unfinished>, beforeMs: number): void {
  for (const [key, { lastMs }] of unfinished) {
    if (lastMs >= beforeMs) return
    unfinished.delete(key)
  }
}

const SUBJECTS = ['volumeId', 'nodeId', 'snapshotId', 'groupSnapshotId', 'name'] as const

/** What the driver locks. */
const subjectOf = (request: object): string =>
  JSON.stringify(SUBJECTS.map((field) => (request as Readonly<Record<string, unknown>>)[field]))
