/** What was said last about each topic of a key, so that the same thing is not said again each time the key is looked at. */
export interface SaidOnce {
  /** Whether this is news: the topic's text differs from the last one, which it replaces. */
  isNews(key: string, topic: string, text: string): boolean
  /** All is well, or the key is gone: whatever is said next is news. */
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
