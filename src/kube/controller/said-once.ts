/** The last event about each topic of a key, so that passes do not repeat it. */
export interface SaidOnce {
  /** Whether the text differs from the last one on this topic, which it replaces. */
  isNews(key: string, topic: string, text: string): boolean
  /** Everything is fine, or the key is gone: the next event is always recorded. */
  forget(key: string): void
  size(): number
}

export function createSaidOnce(): SaidOnce {
  const said = new Map<string, Map<string, string>>()
  const isNews = (key: string, topic: string, text: string): boolean => {
    const ofKey = said.get(key)
    if (ofKey?.get(topic) === text) return false
    if (ofKey) ofKey.set(topic, text)
    else said.set(key, new Map([[topic, text]]))
    return true
  }
  return { isNews, forget: (key) => void said.delete(key), size: () => said.size }
}
