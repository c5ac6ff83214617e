import { Groups } from '../../base/groups.ts'

/** Which keys are waiting for which topics. A key waits only for the topics of its last wait. */
export interface WakeList {
  /** Replaces the previous topics of the key. */
  wait(key: string, topics: readonly string[]): void
  /** Removes and returns the keys that are waiting for the topic: each must wait again. */
  take(topic: string): readonly string[]
  forget(key: string): void
  size(): number
}

const NOBODY: readonly string[] = []

export function createWakeList(): WakeList {
  const keysOf = new Groups<string>()
  const topicsOf = new Map<string, readonly string[]>()
  const forget = (key: string): void => {
    const topics = topicsOf.get(key)
    if (!topics) return
    topicsOf.delete(key)
    for (const topic of topics) keysOf.delete(topic, key)
  }
  const wait = (key: string, topics: readonly string[]): void => {
    forget(key)
    if (topics.length === 0) return
    topicsOf.set(key, topics)
    for (const topic of topics) keysOf.add(topic, key)
  }
  const take = (topic: string): readonly string[] => {
    if (!keysOf.has(topic)) return NOBODY
    const woken = [...keysOf.get(topic)]
    for (const key of woken) forget(key)
    return woken
  }
  return { wait, take, forget, size: () => topicsOf.size }
}
