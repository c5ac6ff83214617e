import { ApiError, isExpired } from '../api/api-error.ts'
import type { Api, WatchEvent } from '../api/api.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { startDeadline } from '../base/abort.ts'
import { backoffDelayMs } from '../base/backoff.ts'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { createObjectCache } from './object-cache.ts'
import type { CacheChange, IndexFunction, ObjectCache } from './object-cache.ts'

export type InformerScope = { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string }

export type InformerParts = { api: Api; clock: Clock; random: Random; log: Logger }

/** A copy of all objects of a kind that follows the server. Objects in it are frozen and without `managedFields`. */
export interface Informer<T extends KubeObject> extends ObjectCache<T> {
  /** Resolves when the cache holds everything for the first time. */
  synced(signal?: AbortSignal): Promise<void>
  isSynced(): boolean
  /** Calls back for each change from now on, and at once for what is there already. The result ends it. */
  onChange(listener: (change: CacheChange<T>) => void): () => void
  /** The last failure, while the informer is trying again; undefined while it follows. */
  lastError(): Error | undefined
  stop(): Promise<void>
}

const PAGE = 500
const SHORTEST_WATCH_SECONDS = 300
// Past the time at which the server should have ended the stream, nothing more can be expected of it.
const STALL_GRACE_MS = 30_000
const BACKOFF = { initialMs: 800, maximumMs: 30_000, jitter: 1 }
// A watch that ends sooner, without an event, counts as a failure.
const SHORTEST_GOOD_WATCH_MS = 1000

/** Starts following at once. */
export function startInformer<T extends KubeObject>(type: ResourceType<T>, scope: InformerScope, parts: InformerParts, indexes: Readonly<Record<string, IndexFunction<T>>> = {}): Informer<T> {
  const { api, clock, random, log: parentLog } = parts
  const log = parentLog.with({ informer: type.plural })
  const cache = createObjectCache<T>()
  for (const [name, values] of Object.entries(indexes)) cache.addIndex(name, values)
  const stopping = new AbortController()
  const listeners = new Set<(change: CacheChange<T>) => void>()
  const waiters = new Set<() => void>()
  let synced = false
  let lastError: Error | undefined
  let failures = 0
  // Where the next watch goes on; undefined: begin with everything.
  let resumeFrom: string | undefined
  let canWatchList = true

  const tell = (change: CacheChange<T> | undefined): void => {
    if (change) for (const listener of [...listeners]) listener(change)
  }
  const replaceAll = (objects: Iterable<T>, resourceVersion: string): void => {
    for (const change of cache.replace(objects)) tell(change)
    resumeFrom = resourceVersion
    if (synced) return
    synced = true
    for (const waiter of waiters) waiter()
    waiters.clear()
  }

  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = clock.monotonicMs()
      try {
        const events = resumeFrom === undefined ? await begin() : await watchFrom(resumeFrom)
        if (events === 0 && clock.monotonicMs() - startedMs < SHORTEST_GOOD_WATCH_MS) throw new Error('the server ended the watch at once')
        recovered()
      } catch (error) {
        if (stopping.signal.aborted) return
        await recover(error)
      }
    }
  }
  const recovered = (): void => {
    failures = 0
    lastError = undefined
  }
  const recover = async (error: unknown): Promise<void> => {
    if (isExpired(error) && resumeFrom !== undefined) {
      log.info('the watch is too old to go on: reading everything again', { resourceVersion: resumeFrom })
      resumeFrom = undefined
      return
    }
    failures++
    lastError = error instanceof Error ? error : new Error(String(error))
    log.warn('following failed', { error, failures })
    const waitMs = Math.max(backoffDelayMs(BACKOFF, failures, random), error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0)
    await sleep(clock, waitMs, stopping.signal).catch(() => {})
  }

  // Everything and what follows in one stream where the server can; else a list, and the next turn watches from there.
  const begin = async (): Promise<number> => {
    if (canWatchList) {
      try {
        return await watchList()
      } catch (error) {
        if (!isRefused(error)) throw error
        canWatchList = false
      }
    }
    await listAll()
    return 1
  }
  const listAll = async (): Promise<void> => {
    const objects: T[] = []
    let continueToken: string | undefined
    let resourceVersion: string
    do {
      const page = await api.list(type, { ...scope, limit: PAGE, signal: stopping.signal, ...(continueToken ? { continueToken } : {}) })
      objects.push(...page.items.map(withoutManagedFields))
      continueToken = page.continueToken
      resourceVersion = page.resourceVersion
    } while (continueToken)
    replaceAll(objects, resourceVersion)
  }
  const watchList = async (): Promise<number> => {
    const initial = new Map<string, T>()
    let complete = false
    return watch({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }, (event) => {
      if (complete) return apply(event)
      if (event.type === 'BOOKMARK') {
        if (!event.initialEventsEnd) return
        complete = true
        replaceAll(initial.values(), event.resourceVersion)
        initial.clear()
        recovered()
      } else if (event.type === 'DELETED') initial.delete(keyOf(event.object))
      else initial.set(keyOf(event.object), withoutManagedFields(event.object))
    })
  }
  const watchFrom = (resourceVersion: string): Promise<number> => watch({ resourceVersion }, apply)

  const apply = (event: WatchEvent<T>): void => {
    recovered()
    if (event.type === 'BOOKMARK') {
      resumeFrom = event.resourceVersion
      return
    }
    resumeFrom = event.object.metadata.resourceVersion ?? resumeFrom
    tell(event.type === 'DELETED' ? cache.remove(keyOf(event.object)) : cache.put(withoutManagedFields(event.object)))
  }

  type Start = { sendInitialEvents: true; resourceVersionMatch: 'NotOlderThan' } | { resourceVersion: string }
  const watch = async (start: Start, handle: (event: WatchEvent<T>) => void): Promise<number> => {
    const timeoutSeconds = SHORTEST_WATCH_SECONDS + random.below(SHORTEST_WATCH_SECONDS)
    const stalled = (): Error => new Error(`the watch did not end after its ${timeoutSeconds} s`)
    using deadline = startDeadline(clock, timeoutSeconds * 1000 + STALL_GRACE_MS, stalled, stopping.signal)
    let events = 0
    for await (const event of api.watch(type, { ...scope, ...start, allowBookmarks: true, timeoutSeconds, signal: deadline.signal })) {
      events++
      handle(event)
    }
    return events
  }

  const running = follow()
  const onChange = (listener: (change: CacheChange<T>) => void): (() => void) => {
    for (const object of cache.all()) listener({ key: keyOf(object), before: undefined, after: object })
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const waitForSync = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (synced) return resolve()
      if (signal?.aborted) return reject(signal.reason)
      waiters.add(resolve)
      signal?.addEventListener('abort', () => (waiters.delete(resolve), reject(signal.reason)), { once: true })
    })
  const stop = async (): Promise<void> => {
    stopping.abort(new Error(`the informer of ${type.plural} was stopped`))
    await running
  }
  return { ...cache, synced: waitForSync, isSynced: () => synced, onChange, lastError: () => lastError, stop }
}

// What a server answers that does not know the parameter, or does not allow it.
const isRefused = (error: unknown): boolean => error instanceof ApiError && (error.code === 422 || error.code === 400 || error.code === 406)

function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _dropped, ...metadata } = object.metadata
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) })
}
