import { ApiError } from '../../api/api-error.ts'
import type { WatchOptions } from '../../api/api.ts'
import type { Timer } from '../../base/clock.ts'
import { invalid } from './refusals.ts'
import type { FieldProblem, KindDefinition } from './kind-definition.ts'
import { listObjects, parseRevision, tooLarge } from './read-objects.ts'
import { scopeOf } from './selection.ts'
import type { ServerParts } from './server-parts.ts'
import type { StoredObject } from './stored-object.ts'
import type { HubEvent } from './watch-hub.ts'

/** One thing to tell a watcher. */
export type StreamEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly error: ApiError }

/** Events for one watcher. They wait here until they are taken; whoever is too slow is told to begin anew. */
export interface WatchStream {
  /** The next event; undefined when the stream has ended. */
  next(): Promise<StreamEvent | undefined>
  /** What is waiting now, without waiting for more. */
  takeAll(): StreamEvent[]
  close(): void
}

const MOST_WAITING = 20_000
const BOOKMARK_INTERVAL_MS = 60_000
const SHORTEST_DEFAULT_SECONDS = 1800
const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' }

/** Starts a watch. What it begins with is decided before it returns: nothing that happens after is missed. */
export function watchObjects(parts: ServerParts, kind: KindDefinition, options: WatchOptions): WatchStream {
  checkOptions(options)
  const { hub, store, clock, random } = parts
  const scope = scopeOf(kind, options)
  const stream = createStream()
  const revision = parseRevision(options.resourceVersion ?? '')
  if (revision > store.revision()) throw tooLarge(revision, store.revision())

  const startsWithState = options.sendInitialEvents === true || (options.sendInitialEvents === undefined && revision === 0)
  if (startsWithState) {
    const { resourceVersion: _any, resourceVersionMatch: _match, sendInitialEvents: _send, ...selection } = options
    for (const stored of listObjects(parts, kind, selection).items) stream.push({ type: 'ADDED', stored })
    if (options.sendInitialEvents && options.allowBookmarks) stream.push({ type: 'BOOKMARK', revision: store.revision(), initialEventsEnd: true })
  } else if (revision > 0) {
    const missed = hub.since(scope, revision)
    if (!missed) {
      stream.push({ type: 'ERROR', error: new ApiError('Expired', `too old resource version: ${revision} (${store.revision()})`) })
      stream.end()
      return stream
    }
    for (const event of missed) stream.push(toStreamEvent(event))
  }

  const subscription = hub.subscribe(scope, (event) => stream.push(toStreamEvent(event)))
  const seconds = options.timeoutSeconds ?? SHORTEST_DEFAULT_SECONDS + random.below(SHORTEST_DEFAULT_SECONDS)
  const timers: Timer[] = [clock.setTimer(seconds * 1000, () => stream.end())]
  const bookmark = (): void => {
    stream.push({ type: 'BOOKMARK', revision: store.revision(), initialEventsEnd: false })
    timers[1] = clock.setTimer(BOOKMARK_INTERVAL_MS, bookmark)
  }
  if (options.allowBookmarks) timers[1] = clock.setTimer(BOOKMARK_INTERVAL_MS, bookmark)
  stream.onEnd(() => {
    subscription.close()
    for (const timer of timers) timer.cancel()
  })
  return stream
}

function checkOptions({ sendInitialEvents, resourceVersionMatch }: WatchOptions): void {
  const problems: FieldProblem[] = []
  if (sendInitialEvents !== undefined && resourceVersionMatch === undefined) {
    problems.push({ field: 'resourceVersionMatch', type: 'FieldValueForbidden', detail: 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan' })
  }
  if (sendInitialEvents === undefined && resourceVersionMatch !== undefined) {
    problems.push({ field: 'resourceVersionMatch', type: 'FieldValueForbidden', detail: 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided' })
  }
  if (problems.length > 0) throw invalid(LIST_OPTIONS, '', problems)
}

function toStreamEvent(event: HubEvent): StreamEvent {
  if (event.type === 'BOOKMARK') return { type: 'BOOKMARK', revision: event.revision, initialEventsEnd: false }
  const { change } = event
  // Leaving a selection shows the last content that was in it, with the revision at which it left.
  if (event.type === 'DELETED' && change.type === 'put' && change.before) return { type: 'DELETED', stored: atRevision(change.before, change.revision) }
  return { type: event.type, stored: change.after }
}

function atRevision({ key, object }: StoredObject, revision: number): StoredObject {
  const moved = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
  return { key, revision, object: Object.freeze(moved), json: JSON.stringify(moved) }
}

type OpenStream = WatchStream & { push(event: StreamEvent): void; end(): void; onEnd(callback: () => void): void }

function createStream(): OpenStream {
  let waiting: StreamEvent[] = []
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
    if (waiting.length > MOST_WAITING && event.type !== 'ADDED') overflow()
    notify()
  }
  const overflow = (): void => {
    waiting = [{ type: 'ERROR', error: new ApiError('Expired', 'the watch was too slow to follow: list again') }]
    end()
  }
  const next = async (): Promise<StreamEvent | undefined> => {
    while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => void (wake = resolve))
    return waiting.shift()
  }
  const takeAll = (): StreamEvent[] => {
    const taken = waiting
    waiting = []
    return taken
  }
  const close = (): void => {
    waiting = []
    end()
  }
  return { push, end, next, takeAll, close, onEnd: (callback) => void (whenEnded = callback) }
}
