import { abandonOnAbort, startDeadline } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'

// Whatever time the driver took before: a write that follows a slow call has all of it.
const ANSWER_TIMEOUT_MS = 30_000

/** One request to the API server, given up when no answer comes or the signal aborts. */
export async function within<T>(
  clock: Clock,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const tooLate = (): Error => new Error(`the API server did not answer within ${ANSWER_TIMEOUT_MS / 1000} s`)
  using deadline = startDeadline(clock, ANSWER_TIMEOUT_MS, tooLate, signal)
  return await abandonOnAbort(request(deadline.signal), deadline.signal)
}
