import { ApiError, isExpired } from '../../api/api-error.ts'
import type { Api, WatchEvent } from '../../api/api.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { abandonOnAbort, startDeadline } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { nextTurn } from '../../base/next-turn.ts'
import type { Random } from '../../base/random.ts'
import { createObjectCache } from './object-cache.ts'
import type { CacheChange, IndexFunction, ObjectCache } from './object-cache.ts'

export type InformerScope = {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export type InformerParts = { api: Api; clock: Clock; random: Random; log: Logger }

/** A copy of all objects of a kind that follows the server. Objects in it are frozen and without `managedFields`. */
export interface Informer<T extends KubeObject> extends ObjectCache<T> {
  /** Resolves when the cache is complete for the first time; rejects if the informer is stopped before that. */
  synced(signal?: AbortSignal): Promise<void>
  isSynced(): boolean
  /** Calls back for each change from now on, and immediately for existing objects. The result removes the listener. */
  onChange(listener: (change: CacheChange<T>) => void): () => void
  /** The last failure, until the server sends something again. */
  lastError(): Error | undefined
  stop(): Promise<void>
}

const PAGE = 500
// Twice the time after which the server itself gives up.
const LIST_TIMEOUT_MS = 120_000
const SHORTEST_WATCH_SECONDS = 300
// If the server has not ended the stream this long after its timeout, nothing more is expected from it.
const STALL_GRACE_MS = 30_000
const BACKOFF = { initialMs: 800, maximumMs: 30_000, jitter: 1 }
// Then timers and sockets come first: leases have to be renewed while many objects are read.
const MOST_TOLD_IN_A_TURN = 500
// A watch that ends or expires sooner without a change counts as a failure.
const SHORTEST_GOOD_WATCH_MS = 1000

class StalledError extends Error {}

/** Starts following immediately. */
export function startInformer<T extends KubeObject>(
  type: ResourceType<T>,
  scope: InformerScope,
  parts: InformerParts,
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): Informer<T> {
  const { api, clock, random } = parts
  const log = parts.log.with({ informer: type.plural })
  const cache = createObjectCache<T>()
  for (const [name, values] of Object.entries(indexes)) cache.addIndex(name, values)
  const stopping = new AbortController()
  const listeners = new Set<(change: CacheChange<T>) => void>()
  const firstSync = Promise.withResolvers<void>()
  // Nothing may be waiting for it.
  firstSync.promise.catch(() => {})
  let synced = false
  let lastError: Error | undefined
  let failures = 0
  // Where the next watch continues; undefined: read everything again.
  let resumeFrom: string | undefined
  let readAllMs = Number.NEGATIVE_INFINITY
  let canWatchList = true

  // An exception in one listener must not cost the others an event.
  const tell = (listener: (change: CacheChange<T>) => void, change: CacheChange<T>): void => {
    try {
      listener(change)
    } catch (error) {
      log.error('a listener failed', { error, key: change.key })
    }
  }
  const tellAll = (change: CacheChange<T> | undefined): void => {
    if (change) for (const listener of [...listeners]) tell(listener, change)
  }
  const replaceAll = async (objects: Iterable<T>, resourceVersion: string): Promise<void> => {
    const changes = cache.replace(objects)
    resumeFrom = resourceVersion
    readAllMs = clock.monotonicMs()
    recovered()
    // A listener that is added meanwhile is told about every object at once.
    const present = [...listeners]
    for (let told = 0; told < changes.length; told += MOST_TOLD_IN_A_TURN) {
      if (told > 0) await nextTurn()
      if (stopping.signal.aborted) return
      for (const change of changes.slice(told, told + MOST_TOLD_IN_A_TURN))
        for (const listener of present) if (listeners.has(listener)) tell(listener, change)
    }
    synced = true
    firstSync.resolve()
  }

  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = clock.monotonicMs()
      try {
        const changes = resumeFrom === undefined ? await begin() : await watchFrom(resumeFrom)
        if (changes === 0 && clock.monotonicMs() - startedMs < SHORTEST_GOOD_WATCH_MS)
          throw new Error('the server ended the watch at once')
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
    if (resumeFrom !== undefined && cannotResume(error)) {
      log.info('the watch can not go on: reading everything again', { resourceVersion: resumeFrom, error })
      resumeFrom = undefined
      // Immediately, unless everything was just read: with a server that compacts that fast, this would never end.
      if (clock.monotonicMs() - readAllMs >= SHORTEST_GOOD_WATCH_MS) return
    }
    failures++
    lastError = error instanceof Error ? error : new Error(String(error))
    log.warn('following failed', { error, failures })
    const waitMs = Math.max(
      backoffDelayMs(BACKOFF, failures, random),
      error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0,
    )
    await sleep(clock, waitMs, stopping.signal).catch(() => {})
  }

  // Reads everything and the following changes in one stream if the server supports it; otherwise lists, and the next turn watches from there.
  const begin = async (): Promise<number> => {
    if (canWatchList) {
      const changes = await watchList()
      if (changes !== undefined) return changes
      canWatchList = false
      log.info('the server does not stream lists: reading pages')
    }
    await listAll()
    return 1
  }
  const listAll = async (): Promise<void> => {
    const objects: T[] = []
    let continueToken: string | undefined
    let resourceVersion: string
    do {
      using deadline = startDeadline(
        clock,
        LIST_TIMEOUT_MS,
        () => new Error(`the list took longer than ${LIST_TIMEOUT_MS / 1000} s`),
        stopping.signal,
      )
      const page = await api.list(type, {
        ...scope,
        limit: PAGE,
        signal: deadline.signal,
        ...(continueToken ? { continueToken } : {}),
      })
      for (const object of page.items) objects.push(withoutManagedFields(object))
      continueToken = page.continueToken
      resourceVersion = page.resourceVersion
    } while (continueToken)
    await replaceAll(objects, resourceVersion)
  }
  /** The number of changes; undefined if the server does not support this. */
  const watchList = async (): Promise<number | undefined> => {
    const initial = new Map<string, T>()
    let complete = false
    const collect = (event: WatchEvent<T>): Promise<void> | undefined => {
      if (complete) apply(event)
      else if (event.type === 'DELETED') initial.delete(keyOf(event.object))
      else if (event.type !== 'BOOKMARK') initial.set(keyOf(event.object), withoutManagedFields(event.object))
      else if (event.initialEventsEnd) {
        complete = true
        const replaced = replaceAll(initial.values(), event.resourceVersion)
        initial.clear()
        return replaced
      }
      return undefined
    }
    try {
      const changes = await watch({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }, collect)
      return complete ? changes : undefined
    } catch (error) {
      if (complete || !isRefused(error)) throw error
      return undefined
    }
  }
  const watchFrom = (resourceVersion: string): Promise<number> => watch({ resourceVersion }, apply)

  const apply = (event: WatchEvent<T>): void => {
    recovered()
    if (event.type === 'BOOKMARK') {
      resumeFrom = event.resourceVersion
      return
    }
    const change = event.type === 'DELETED' ? cache.remove(event.object) : cache.put(withoutManagedFields(event.object))
    resumeFrom = event.object.metadata.resourceVersion ?? resumeFrom
    tellAll(change)
  }

  type Start = { sendInitialEvents: true; resourceVersionMatch: 'NotOlderThan' } | { resourceVersion: string }
  /** A promise of `handle` holds up the next event. */
  const watch = async (start: Start, handle: (event: WatchEvent<T>) => Promise<void> | void): Promise<number> => {
    const timeoutSeconds = SHORTEST_WATCH_SECONDS + random.below(SHORTEST_WATCH_SECONDS)
    const stalled = (): Error => new StalledError(`the watch did not end after its ${timeoutSeconds} s`)
    using deadline = startDeadline(clock, timeoutSeconds * 1000 + STALL_GRACE_MS, stalled, stopping.signal)
    let changes = 0
    for await (const event of api.watch(type, {
      ...scope,
      ...start,
      allowBookmarks: true,
      timeoutSeconds,
      signal: deadline.signal,
    })) {
      if (event.type !== 'BOOKMARK') changes++
      const handled = handle(event)
      if (handled) await handled
    }
    return changes
  }

  const running = follow()
  const onChange = (listener: (change: CacheChange<T>) => void): (() => void) => {
    for (const object of cache.all()) tell(listener, { key: keyOf(object), before: undefined, after: object })
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const stop = async (): Promise<void> => {
    const reason = new Error(`the informer of ${type.plural} was stopped`)
    stopping.abort(reason)
    firstSync.reject(reason)
    await running
  }
  const { get, all, size, byIndex, addIndex, indexBy } = cache
  return {
    get,
    all,
    size,
    byIndex,
    addIndex,
    indexBy,
    synced: (signal) => abandonOnAbort(firstSync.promise, signal),
    isSynced: () => synced,
    onChange,
    lastError: () => lastError,
    stop,
  }
}

// Responses of a server that does not support or allow the parameter, or ignores it and never sends the final bookmark.
const isRefused = (error: unknown): boolean =>
  error instanceof StalledError || (error instanceof ApiError && [400, 406, 422].includes(error.code))

// Either the server has forgotten that version, or does not have it yet, for example after a restore from a backup.
const cannotResume = (error: unknown): boolean =>
  isExpired(error) ||
  (error instanceof ApiError && error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge'))

function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _dropped, ...metadata } = object.metadata
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) })
}
