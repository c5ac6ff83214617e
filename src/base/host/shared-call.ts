/**
 * Shares one call among concurrent callers, by key. Each caller gets the result of a call that began after it asked: callers that arrive while a call
 * is running share the next one.
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
