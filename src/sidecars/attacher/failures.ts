import { backoffDelayMs } from '../../base/backoff.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Failure, Operation } from './attach-view.ts'

/** The last failure of each attachment. Attaching and detaching count apart, and a new attachment of the same name begins anew. */
export interface Failures {
  find(key: string, uid: string): Failure | undefined
  /** Counts one more and says how long to wait. */
  add(key: string, failure: { uid: string; operation: Operation; basis: string }): number
  forget(key: string): void
}

type Entry = Failure & { readonly uid: string; readonly count: number }

export function createFailures({ clock, random, backoff }: { clock: Clock; random: Random; backoff: BackoffOptions }): Failures {
  const entries = new Map<string, Entry>()
  const find = (key: string, uid: string): Entry | undefined => {
    const entry = entries.get(key)
    return entry?.uid === uid ? entry : undefined
  }
  const add = (key: string, { uid, operation, basis }: { uid: string; operation: Operation; basis: string }): number => {
    const before = find(key, uid)
    const count = before?.operation === operation ? before.count + 1 : 1
    const delayMs = backoffDelayMs(backoff, count, random)
    entries.set(key, { uid, operation, basis, count, retryAtMs: clock.monotonicMs() + delayMs })
    return delayMs
  }
  return { find, add, forget: (key) => void entries.delete(key) }
}
