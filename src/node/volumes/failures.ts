import { backoffDelayMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'

export type Failure = {
  /** How often it has failed in a row. */
  readonly count: number
  /** Not tried again before this time on the monotonic clock. */
  readonly retryAtMs: number
  readonly detail: string
}

/** The part of a failure that decisions need. */
export type Patience = Pick<Failure, 'retryAtMs' | 'detail'>

/** The last failure of each operation of a pod, a mount or a device. Each operation backs off on its own. */
export type Failures = Map<string, Failure>

// The kubelet's delays: 0.5 s, 1 s, 2 s … 122 s.
export const BACKOFF = { initialMs: 500, maximumMs: 122_000 }

/** Counts one more failure in a row. Returns how long to wait. */
export function addFailure(
  failures: Failures,
  operation: string,
  detail: string,
  { clock, random }: { clock: Clock; random: Random },
): number {
  const count = (failures.get(operation)?.count ?? 0) + 1
  const delayMs = backoffDelayMs(BACKOFF, count, random)
  failures.set(operation, { count, retryAtMs: clock.monotonicMs() + delayMs, detail })
  return delayMs
}

/** Ends the backoff of matching entries, because what was in the way may be gone. Their failures still count. Returns them. */
export function retryNow<Entry extends { readonly failures: Failures }>(
  entries: Iterable<Entry>,
  matches: (entry: Entry) => boolean,
): Entry[] {
  const matching = [...entries].filter(matches)
  for (const { failures } of matching)
    for (const [operation, failure] of failures) failures.set(operation, { ...failure, retryAtMs: 0 })
  return matching
}
