import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { CacheChange } from './object-cache.ts'
import type { Informers } from './informers.ts'

export type OptionalCacheParts = {
  informers: Informers
  clock: Clock
  log: Logger
  /** Aborts when the role has to end. */
  starting: AbortSignal
}

export interface OptionalCache<T> {
  get(key: string): T | undefined
  all(): Iterable<T>
  /** Whether the server has the kind and lets us read it. */
  isServed(): boolean
}

const ASK_AGAIN_MS = 300_000
// For kinds that are required: someone may be installing them right now.
const AWAITED_ASK_MS = 60_000
const RETRY_MS = 1000

/**
 * A cache of a kind that the server may not have, or may not let us read: then it is empty, and the server is asked again periodically. Resolves once
 * it is filled or known to be empty.
 */
export async function startOptionalCache<T extends KubeObject>(
  type: ResourceType<T>,
  { informers, clock, log, starting, onStop }: OptionalCacheParts & { onStop(stop: () => Promise<void>): void },
  onChange: (change: CacheChange<T>) => void,
): Promise<OptionalCache<T>> {
  const stopping = new AbortController()
  const ending = AbortSignal.any([stopping.signal, starting])
  let informer: ReturnType<typeof informers.get<T>> | undefined
  let unwatch = (): void => {}

  const begin = async (): Promise<boolean> => {
    if (!(await isServed(type, { informers, clock, log, starting: ending }))) return false
    informer = informers.get(type)
    unwatch = informer.onChange(onChange)
    await informer.synced(ending)
    return true
  }
  const askAgain = async (): Promise<void> => {
    while (!ending.aborted) {
      await sleep(clock, ASK_AGAIN_MS, ending)
      if (await begin()) return
    }
  }
  const asking = (await begin()) ? Promise.resolve() : askAgain().catch(() => {})
  onStop(async () => {
    stopping.abort(new Error('the cache is no longer needed'))
    unwatch()
    await asking
  })
  return {
    get: (key) => informer?.get(key),
    all: () => informer?.all() ?? [],
    isServed: () => informer !== undefined,
  }
}

/** Makes a role that works without a kind fail once the server has it, so that it restarts with the kind. */
export function failWhenServed(
  type: ResourceType,
  role: OptionalCacheParts & { readonly signal: AbortSignal; fail(error: Error): void },
): void {
  untilServed(type, { ...role, starting: role.signal }).then(
    () => role.fail(new Error(`the server has ${type.kind} now: starting again with it`)),
    () => {},
  )
}

/** Waits until the server has the kind and lets us read it, for roles that need it. */
export async function untilServed(type: ResourceType, parts: OptionalCacheParts): Promise<void> {
  for (let isFirst = true; !(await isServed(type, parts)); isFirst = false) {
    if (isFirst)
      parts.log.warn('waiting for a kind that the server does not have', { kind: type.kind, group: type.group })
    await sleep(parts.clock, AWAITED_ASK_MS, parts.starting)
  }
}

/** Whether the server has the kind and lets us read it. Retries until the server responds. */
export async function isServed(
  type: ResourceType,
  { informers, clock, log, starting }: OptionalCacheParts,
): Promise<boolean> {
  for (;;) {
    try {
      return await informers.isServed(type, starting)
    } catch (error) {
      starting.throwIfAborted()
      log.debug('asking for a kind failed', { kind: type.kind, error })
      await sleep(clock, RETRY_MS, starting)
    }
  }
}
