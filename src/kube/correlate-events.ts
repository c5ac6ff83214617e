import type { Clock } from '../base/clock.ts'

/** What is to be said about an object. */
export type EventNote = { readonly objectKey: string; readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }

/** What to write: a new event, or one more of an event that is there. Undefined: too much was said about this object already. */
export type EventStep =
  | { readonly kind: 'create'; readonly message: string; readonly firstMs: number; readonly id: string }
  | { readonly kind: 'count'; readonly message: string; readonly count: number; readonly id: string }

// As client-go has it, so that a noisy object looks the same whoever speaks about it.
const SIMILAR_LIMIT = 10
const SIMILAR_WINDOW_MS = 600_000
const BURST = 25
const REFILL_MS = 300_000
const MOST_REMEMBERED = 4096

type Similar = { messages: Set<string>; lastMs: number }
type Seen = { count: number; firstMs: number }
type Bucket = { tokens: number; filledMs: number }

/** Decides how notes become events: equal ones are counted, many alike are combined, a flood is cut off. */
export function createEventCorrelator(clock: Clock): (note: EventNote) => EventStep | undefined {
  const similar = new Map<string, Similar>()
  const seen = new Map<string, Seen>()
  const buckets = new Map<string, Bucket>()

  const isAllowed = (objectKey: string, nowMs: number): boolean => {
    const bucket = buckets.get(objectKey) ?? { tokens: BURST, filledMs: nowMs }
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.filledMs) / REFILL_MS)
    bucket.filledMs = nowMs
    remember(buckets, objectKey, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
  const combine = ({ objectKey, type, reason, message }: EventNote, nowMs: number): { id: string; message: string } => {
    const groupKey = JSON.stringify([objectKey, type, reason])
    const present = similar.get(groupKey)
    const group = present && nowMs - present.lastMs < SIMILAR_WINDOW_MS ? present : { messages: new Set<string>(), lastMs: nowMs }
    group.messages.add(message)
    group.lastMs = nowMs
    remember(similar, groupKey, group)
    if (group.messages.size < SIMILAR_LIMIT) return { id: JSON.stringify([groupKey, message]), message }
    // Kept small: what matters from here on is only that there are many.
    group.messages = new Set([...group.messages].slice(-SIMILAR_LIMIT))
    return { id: groupKey, message: `(combined from similar events): ${message}` }
  }
  return (note) => {
    const nowMs = clock.nowMs()
    const { id, message } = combine(note, nowMs)
    if (!isAllowed(note.objectKey, nowMs)) return undefined
    const present = seen.get(id)
    const count = (present?.count ?? 0) + 1
    remember(seen, id, { count, firstMs: present?.firstMs ?? nowMs })
    return present ? { kind: 'count', message, count, id } : { kind: 'create', message, firstMs: nowMs, id }
  }
}

// The longest untouched is forgotten first.
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > MOST_REMEMBERED) for (const oldest of map.keys()) return void map.delete(oldest)
}
