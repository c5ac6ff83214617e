import { formatExactJson } from '../../api/exact-json.ts'
import type { WatchOptions } from '../../api/api.ts'
import type { Timer } from '../../base/clock.ts'
import { invalid } from './refusals.ts'
import type { FieldProblem, KindDefinition } from './kind-definition.ts'
import { checkNotAhead, listObjects, parseRevision } from './read-objects.ts'
import { eventsInTurns } from './select-in-turns.ts'
import { scopeOf } from './selection.ts'
import type { ServerParts } from './server-parts.ts'
import type { StoredObject } from './stored-object.ts'
import type { HubEvent, Subscription, WatchScope } from './watch-hub.ts'
import { createWatchStream, expired } from './watch-stream.ts'
import type { OpenWatchStream, StreamEvent, WatchStream } from './watch-stream.ts'

const BOOKMARK_INTERVAL_MS = 60_000
const LAST_BOOKMARK_MS = 2000
const SHORTEST_DEFAULT_SECONDS = 1800
const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' }

/** Starts a watch. Its initial state is fixed when this is called: no later change is missed. */
export async function watchObjects(
  parts: ServerParts,
  kind: KindDefinition,
  options: WatchOptions,
): Promise<WatchStream> {
  checkOptions(options)
  const { store, clock, random } = parts
  const scope = scopeOf(kind, options)
  checkNotAhead(parts, options.resourceVersion ?? '')
  const revision = parseRevision(options.resourceVersion ?? '')

  const subscription = holdEvents(parts, scope)
  let first: StreamEvent[] | undefined
  try {
    first = await firstEvents(parts, kind, options, scope, revision)
  } catch (error) {
    subscription.close()
    throw error
  }
  const stream = createWatchStream(first ?? [expired(`too old resource version: ${revision} (${store.revision()})`)])
  if (!first) {
    subscription.close()
    stream.end()
    return stream
  }
  // Zero means absent: old clients send it.
  const timeoutMs = (options.timeoutSeconds || SHORTEST_DEFAULT_SECONDS + random.below(SHORTEST_DEFAULT_SECONDS)) * 1000
  const timeout = clock.setTimer(timeoutMs, stream.end)
  const bookmarks = options.allowBookmarks ? startBookmarks(parts, stream, timeoutMs) : []
  stream.onEnd(() => {
    subscription.close()
    timeout.cancel()
    for (const timer of bookmarks) timer.cancel()
  })
  subscription.release(stream)
  return stream
}

type HeldEvents = Subscription & {
  /** Delivers the held events, and from then on new ones. */
  release(stream: OpenWatchStream): void
}

// Finding the initial events of a watch may take several turns, in which changes continue.
function holdEvents({ hub }: ServerParts, scope: WatchScope): HeldEvents {
  const held: HubEvent[] = []
  let isEnded = false
  let push = (event: HubEvent): void => void held.push(event)
  let end = (): void => void (isEnded = true)
  const subscription = hub.subscribe(
    scope,
    (event) => push(event),
    () => end(),
  )
  return {
    close: subscription.close,
    release: (stream) => {
      push = (event) => stream.push(toStreamEvent(event))
      end = stream.end
      for (const event of held) push(event)
      if (isEnded) end()
    },
  }
}

// The initial events of a watch; undefined if the missed changes are no longer known.
async function firstEvents(
  parts: ServerParts,
  kind: KindDefinition,
  options: WatchOptions,
  scope: WatchScope,
  revision: number,
): Promise<StreamEvent[] | undefined> {
  const { hub } = parts
  const { resourceVersion: _any, resourceVersionMatch: _match, sendInitialEvents, ...selection } = options
  if (sendInitialEvents === true || (sendInitialEvents === undefined && revision === 0)) {
    const { items, revision: listed } = await listObjects(parts, kind, selection)
    const state = items.map((stored): StreamEvent => ({ type: 'ADDED', stored }))
    if (sendInitialEvents && options.allowBookmarks)
      state.push({ type: 'BOOKMARK', revision: listed, initialEventsEnd: true })
    return state
  }
  const missed = revision === 0 ? [] : hub.since(scope.storage, revision)
  return missed && (await eventsInTurns(missed, scope)).map(toStreamEvent)
}

// Every minute, so that a quiet watch can be resumed; and once more just before the end, where the next one continues.
function startBookmarks({ clock, store }: ServerParts, stream: OpenWatchStream, timeoutMs: number): Timer[] {
  const push = (): void => stream.push({ type: 'BOOKMARK', revision: store.revision(), initialEventsEnd: false })
  const repeat = (): Timer =>
    clock.setTimer(BOOKMARK_INTERVAL_MS, () => {
      push()
      timers[0] = repeat()
    })
  const timers = [repeat()]
  if (timeoutMs > LAST_BOOKMARK_MS) timers.push(clock.setTimer(timeoutMs - LAST_BOOKMARK_MS, push))
  return timers
}

function checkOptions({ sendInitialEvents, resourceVersionMatch }: WatchOptions): void {
  const problems: FieldProblem[] = []
  if (sendInitialEvents !== undefined && resourceVersionMatch === undefined) {
    problems.push({
      field: 'resourceVersionMatch',
      type: 'FieldValueForbidden',
      detail: 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    })
  }
  if (sendInitialEvents === undefined && resourceVersionMatch !== undefined) {
    problems.push({
      field: 'resourceVersionMatch',
      type: 'FieldValueForbidden',
      detail: 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    })
  }
  if (problems.length > 0) throw invalid(LIST_OPTIONS, '', problems)
}

function toStreamEvent(event: HubEvent): StreamEvent {
  if (event.type === 'BOOKMARK') return { type: 'BOOKMARK', revision: event.revision, initialEventsEnd: false }
  const { change } = event
  // Leaving a selection shows the last content inside it, with the revision at which it left.
  if (event.type === 'DELETED' && change.type === 'put' && change.before)
    return { type: 'DELETED', stored: atRevision(change.before, change.revision) }
  return { type: event.type, stored: change.after }
}

function atRevision({ key, object }: StoredObject, revision: number): StoredObject {
  const moved = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
  return { key, revision, object: Object.freeze(moved), json: formatExactJson(moved) }
}
