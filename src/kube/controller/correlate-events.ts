import type { Clock } from '../../base/clock.ts'
import { createRecentMap } from '../cache/recent-map.ts'

/** A note about an object, before it becomes an event. */
export type EventNote = {
  readonly objectKey: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What to write: notes with the same ID are one event with a count. */
export type EventStep = {
  readonly id: string
  readonly message: string
  readonly count: number
  readonly firstMs: number
}

// As in client-go, so that a noisy object looks the same whichever program records its events.
const SIMILAR_LIMIT = 10
const SIMILAR_WINDOW_MS = 600_000
const BURST = 25
const REFILL_MS = 300_000
/** Maximum number of remembered objects, groups and events. */
export const MOST_REMEMBERED = 4096

type Similar = { messages: Set<string>; lastMs: number }
type Seen = { count: number; firstMs: number }
type Bucket = { tokens: number; filledMs: number }

/**
 * Decides how notes become events: equal ones are counted, many similar ones are combined. Undefined if there were too many about this object; they
 * are still counted.
 */
export function createEventCorrelator(clock: Clock): (note: EventNote) => EventStep | undefined {
  const similar = createRecentMap<Similar>(MOST_REMEMBERED)
  const seen = createRecentMap<Seen>(MOST_REMEMBERED)
  const buckets = createRecentMap<Bucket>(MOST_REMEMBERED)

  const isAllowed = (objectKey: string, nowMs: number): boolean => {
    const bucket = buckets.get(objectKey) ?? { tokens: BURST, filledMs: nowMs }
    const tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.filledMs) / REFILL_MS)
    const isFull = tokens >= 1
    buckets.set(objectKey, { tokens: isFull ? tokens - 1 : tokens, filledMs: nowMs })
    return isFull
  }
  const combine = ({ objectKey, type, reason, message }: EventNote, nowMs: number): { id: string; message: string } => {
    const groupKey = JSON.stringify([objectKey, type, reason])
    const present = similar.get(groupKey)
    const messages = present && nowMs - present.lastMs <= SIMILAR_WINDOW_MS ? present.messages : new Set<string>()
    messages.add(message)
    similar.set(groupKey, { messages, lastMs: nowMs })
    if (messages.size < SIMILAR_LIMIT) return { id: JSON.stringify([groupKey, message]), message }
    // Kept small: from here on it only matters that there are many.
    for (const oldest of messages) {
      messages.delete(oldest)
      break
    }
    return { id: groupKey, message: `(combined from similar events): ${message}` }
  }
  return (note) => {
    const nowMs = clock.monotonicMs()
    const { id, message } = combine(note, nowMs)
    const { count, firstMs } = seen.get(id) ?? { count: 0, firstMs: clock.nowMs() }
    seen.set(id, { count: count + 1, firstMs })
    return isAllowed(note.objectKey, nowMs) ? { id, message, count: count + 1, firstMs } : undefined
  }
}
