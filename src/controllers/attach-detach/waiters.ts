/** Who wants to be looked at again when something else has changed. */
export interface Waiters {
  add(key: string, on: string): void
  /** Takes out those that wait for it. */
  take(on: string): readonly string[]
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<string>>()
  const add = (key: string, on: string): void => {
    const keys = waiting.get(on)
    if (keys) keys.add(key)
    else waiting.set(on, new Set([key]))
  }
  const take = (on: string): readonly string[] => {
    const keys = [...(waiting.get(on) ?? [])]
    waiting.delete(on)
    return keys
  }
  return { add, take }
}
