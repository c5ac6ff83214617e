import { ApiError } from '../../api/api-error.ts'
import type { StoredObject } from './stored-object.ts'

/** One event for a watcher. */
export type StreamEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly error: ApiError }

/** Events for one watcher. They are queued until they are taken; a watcher that is too slow must list again. */
export interface WatchStream {
  /** The next event; undefined when the stream has ended and nothing is left. */
  next(): Promise<StreamEvent | undefined>
  /** All queued events, without waiting for more. */
  takeAll(): StreamEvent[]
  /** Drops the queued events. */
  close(): void
}

/** The producer's side of the stream. */
export interface OpenWatchStream extends WatchStream {
  push(event: StreamEvent): void
  /** Queued events can still be taken. */
  end(): void
  onEnd(callback: () => void): void
}

export const expired = (message: string): StreamEvent => ({ type: 'ERROR', error: new ApiError('Expired', message) })

// A watcher that is further behind could not resume either: this is the size of the change window.
const MOST_WAITING_LENGTH = 32 * 1024 * 1024
const MOST_WAITING = 20_000
const MOST_TAKEN = 1000

/** The initial events may be any number; later queued events are limited by number and by length of text. */
export function createWatchStream(
  first: readonly StreamEvent[],
  limits = { events: MOST_WAITING, length: MOST_WAITING_LENGTH },
): OpenWatchStream {
  let waiting: StreamEvent[] = [...first]
  // Events before this position are taken. They are released when the queue is empty, and now and then: moving the others down for each would cost
  // more.
  let taken = 0
  // The number of pushed events not yet taken; the initial events are taken before any of them.
  let pushed = 0
  let pushedLength = 0
  let ended = false
  let wake: (() => void) | undefined
  let whenEnded: (() => void) | undefined

  const notify = (): void => {
    wake?.()
    wake = undefined
  }
  const end = (): void => {
    if (ended) return
    ended = true
    whenEnded?.()
    notify()
  }
  const push = (event: StreamEvent): void => {
    if (ended) return
    waiting.push(event)
    pushed++
    pushedLength += lengthOf(event)
    if (pushed > limits.events || pushedLength > limits.length) {
      replaceWaiting([expired('the watch was too slow to follow: list again')])
      end()
    }
    notify()
  }
  const replaceWaiting = (events: StreamEvent[]): StreamEvent[] => {
    const left = taken === 0 ? waiting : waiting.slice(taken)
    waiting = events
    taken = 0
    pushed = 0
    pushedLength = 0
    return left
  }
  const takeNext = (): StreamEvent | undefined => {
    const event = waiting[taken++]
    if (!event) return undefined
    if (waiting.length - taken < pushed) {
      pushed--
      pushedLength -= lengthOf(event)
    }
    if (taken === waiting.length || (taken > MOST_TAKEN && taken > waiting.length / 2)) {
      waiting = waiting.slice(taken)
      taken = 0
    }
    return event
  }
  const next = async (): Promise<StreamEvent | undefined> => {
    while (taken === waiting.length && !ended) await new Promise<void>((resolve) => void (wake = resolve))
    return taken === waiting.length ? undefined : takeNext()
  }
  const close = (): void => {
    replaceWaiting([])
    end()
  }
  return { push, end, next, takeAll: () => replaceWaiting([]), close, onEnd: (callback) => void (whenEnded = callback) }
}

const lengthOf = (event: StreamEvent): number => ('stored' in event ? event.stored.json.length : 0)
