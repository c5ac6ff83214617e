import { backoffDelayMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Patience } from './volume-view.ts'

/** How often something failed in a row, and when it may be tried again. Each operation of each key counts for itself. */
export interface Failures {
  find(key: string, operation: string): Patience | undefined
  count(key: string, operation: string): number
  /** Counts one more and says how long to wait. */
  add(key: string, operation: string, detail: string): number
  /** Of all operations, or of one. */
  forget(key: string, operation?: string): void
  /** Nobody need wait any longer: what was in the way may be gone. */
  release(key: string): void
}

type Entry = { readonly count: number; readonly retryAtMs: number; readonly detail: string }

// As the kubelet waits: 0.5 s, 1 s, 2 s … 122 s.
const BACKOFF = { initialMs: 500, maximumMs: 122_000 }

export function createFailures({ clock, random }: { clock: Clock; random: Random }): Failures {
  const entries = new Map<string, Map<string, Entry>>()
  const find = (key: string, operation: string): Entry | undefined => entries.get(key)?.get(operation)
  const add = (key: string, operation: string, detail: string): number => {
    const count = (find(key, operation)?.count ?? 0) + 1
    const delayMs = backoffDelayMs(BACKOFF, count, random)
    const ofKey = entries.get(key) ?? new Map<string, Entry>()
    entries.set(key, ofKey.set(operation, { count, retryAtMs: clock.monotonicMs() + delayMs, detail }))
    return delayMs
  }
  const forget = (key: string, operation?: string): void => {
    const ofKey = entries.get(key)
    if (operation !== undefined) ofKey?.delete(operation)
    if (operation === undefined || ofKey?.size === 0) entries.delete(key)
  }
  const release = (key: string): void => {
    for (const [operation, entry] of entries.get(key) ?? [])
      entries.get(key)?.set(operation, { ...entry, retryAtMs: clock.monotonicMs() })
  }
  return { find, count: (key, operation) => find(key, operation)?.count ?? 0, add, forget, release }
}
