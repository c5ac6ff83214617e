/**
 * Does it once for all who ask meanwhile, by key. Whoever asks gets the outcome of a call that began after the question: one that has begun
 * serves nobody who comes later, and those share the next.
 */
export function createSharedCall<T>(call: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<T>>()
  return (key) => {
    const waiting = next.get(key)
    if (waiting) return waiting
    const begin = (): Promise<T> => {
      next.delete(key)
      running.set(key, mine)
      return call(key)
    }
    const end = (): void => {
      if (running.get(key) === mine) running.delete(key)
    }
    const mine = (running.get(key) ?? Promise.resolve()).then(begin, begin)
    next.set(key, mine)
    mine.then(end, end)
    return mine
  }
}
