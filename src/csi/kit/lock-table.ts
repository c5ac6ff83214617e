/** A resource that a call needs exclusively (`exclusive`), or shares with other calls that only need it to stay unchanged. */
export type Lock = { key: string; exclusive: boolean }

/** Excludes concurrent calls for the same resource. Calls never wait: the second call fails immediately. */
export interface LockTable {
  /** Takes all locks or none. Returns a function to release them once, or the key that is taken. Each key may occur only once. */
  tryAcquire(locks: readonly Lock[]): { release(): void } | { taken: string }
}

type Holders = { exclusive: boolean; count: number }

export function createLockTable(): LockTable {
  const held = new Map<string, Holders>()

  const release = (locks: readonly Lock[]): void => {
    for (const { key } of locks) {
      const holders = held.get(key)
      if (holders && --holders.count === 0) held.delete(key)
    }
  }

  const tryAcquire = (locks: readonly Lock[]): { release(): void } | { taken: string } => {
    const taken: Lock[] = []
    for (const lock of locks) {
      const holders = held.get(lock.key)
      if (holders && (lock.exclusive || holders.exclusive)) {
        release(taken)
        return { taken: lock.key }
      }
      if (holders) holders.count++
      else held.set(lock.key, { exclusive: lock.exclusive, count: 1 })
      taken.push(lock)
    }
    return { release: () => release(taken.splice(0)) }
  }
  return { tryAcquire }
}
