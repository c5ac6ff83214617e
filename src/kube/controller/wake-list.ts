/** Which keys wait for which topics. A key waits only for the topics of its last wait. */
export interface WakeList {
  /** Replaces what the key waited for before. */
  wait(key: string, topics: readonly string[]): void
  /** Keys that wait for the topic, once: each has to wait again. */
  take(topic: string): readonly string[]
  forget(key: string): void
  size(): number
}

const NOBODY: readonly string[] = []

export function createWakeList(): WakeList {
  const keysOf = new Map<string, Set<string>>()
  const topicsOf = new Map<string, readonly string[]>()
  const forget = (key: string): void => {
    const topics = topicsOf.get(key)
    if (!topics) return
    topicsOf.delete(key)
    for (const topic of topics) {
      const keys = keysOf.get(topic)
      if (keys?.delete(key) && keys.size === 0) keysOf.delete(topic)
    }
  }
  const wait = (key: string, topics: readonly string[]): void => {
    forget(key)
    if (topics.length === 0) return
    topicsOf.set(key, topics)
    for (const topic of topics) {
      const keys = keysOf.get(topic)
      if (keys) keys.add(key)
      else keysOf.set(topic, new Set([key]))
    }
  }
  const take = (topic: string): readonly string[] => {
    const keys = keysOf.get(topic)
    if (!keys) return NOBODY
    const woken = [...keys]
    for (const key of woken) forget(key)
    return woken
  }
  return { wait, take, forget, size: () => topicsOf.size }
}
