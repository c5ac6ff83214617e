/** A map with a maximum number of entries: drops the least recently used one first. */
export interface RecentMap<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

export function createRecentMap<V>(most: number): RecentMap<V> {
  const entries = new Map<string, V>()
  const set = (key: string, value: V): void => {
    // A map keeps insertion order: removing and adding the key makes it the most recent one.
    entries.delete(key)
    entries.set(key, value)
    if (entries.size > most) for (const oldest of entries.keys()) return void entries.delete(oldest)
  }
  const get = (key: string): V | undefined => {
    const value = entries.get(key)
    if (value !== undefined) set(key, value)
    return value
  }
  return { get, set, delete: (key) => void entries.delete(key) }
}
