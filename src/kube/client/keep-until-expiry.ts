import type { Clock } from '../../base/clock.ts'

/** A value that is fetched on demand and kept until it expires. */
export interface Kept<T> {
  /** One caller fetches; the others wait for the same result. */
  get(): Promise<T>
  /** If the cached value matches, the next call fetches again. False if the value never changes. */
  forget(isInQuestion: (value: T) => boolean): boolean
}

/** `expiresMs` is wall-clock time; infinity if the value never changes. */
export type Expiring<T> = { readonly value: T; readonly expiresMs: number }

export function keepUntilExpiry<T>(clock: Clock, fetch: () => Promise<Expiring<T>>): Kept<T> {
  let kept: Expiring<T> | undefined
  let fetching: Promise<T> | undefined
  const fetchOnce = async (): Promise<T> => {
    try {
      kept = await fetch()
      return kept.value
    } finally {
      fetching = undefined
    }
  }
  const get = (): Promise<T> =>
    kept && kept.expiresMs > clock.nowMs() ? Promise.resolve(kept.value) : (fetching ??= fetchOnce())
  const forget = (isInQuestion: (value: T) => boolean): boolean => {
    if (kept?.expiresMs === Number.POSITIVE_INFINITY) return false
    if (kept && isInQuestion(kept.value)) kept = undefined
    return true
  }
  return { get, forget }
}
