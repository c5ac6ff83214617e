import { isForbidden } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { ObjectRef } from '../../api/object.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { sleep } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { createRecentMap } from '../../kube/recent-map.ts'

/** Objects that are not cached and that somebody waits for: each is watched alone until it changes. */
export interface AwaitedObjects {
  /** Calls back once, when the object is there or changes; not at all when it can't be watched. */
  wait(type: ResourceType, ref: ObjectRef, key: string): void
  /** It no longer matters to this key. */
  cancel(key: string): void
  count(): number
  stop(): void
}

export type AwaitedParts = { api: Api; clock: Clock; random: Random; log: Logger; wake(key: string): void }

// Each is a stream of its own at the server.
const MOST_WATCHED = 50
const MOST_TOLD = 1000
const BACKOFF = { initialMs: 1000, maximumMs: 60_000 }

type Watched = { readonly keys: Set<string>; readonly ending: AbortController }

export function createAwaitedObjects({ api, clock, random, log, wake }: AwaitedParts): AwaitedObjects {
  const watched = new Map<string, Watched>()
  // The version of each object that was told of last.
  const told = createRecentMap<string>(MOST_TOLD)
  // What we were told not to watch once, we are not going to be allowed soon.
  const forbidden = new Set<string>()

  const follow = async (
    type: ResourceType,
    { namespace, name }: ObjectRef,
    id: string,
    { ending }: Watched,
  ): Promise<void> => {
    const fieldSelector = `metadata.name=${name}`
    for (let failures = 0; !ending.signal.aborted;) {
      try {
        // Whatever there is comes first, so nothing that happened since it was missed is lost.
        for await (const event of api.watch(type, {
          ...(namespace ? { namespace } : {}),
          fieldSelector,
          signal: ending.signal,
        })) {
          if (event.type === 'BOOKMARK') continue
          const { resourceVersion = '' } = event.object.metadata
          // Whoever was woken by this very version has seen it, and waits for the next.
          if (told.get(id) === resourceVersion) continue
          told.set(id, resourceVersion)
          return end(id)
        }
      } catch (error) {
        if (ending.signal.aborted) return
        if (isForbidden(error)) forbidden.add(type.plural)
        if (isForbidden(error)) return end(id)
        log.debug('watching an awaited object failed', { kind: type.kind, name, error })
      }
      failures++
      await sleep(clock, backoffDelayMs(BACKOFF, failures, random), ending.signal).catch(() => {})
    }
  }
  const end = (id: string): void => {
    const entry = watched.get(id)
    watched.delete(id)
    entry?.ending.abort(new Error('the object was seen'))
    if (entry) for (const key of entry.keys) wake(key)
  }
  const wait = (type: ResourceType, ref: ObjectRef, key: string): void => {
    if (forbidden.has(type.plural)) return
    const id = `${type.plural} ${keyOfRef(ref)}`
    const present = watched.get(id)
    if (present) {
      present.keys.add(key)
      return
    }
    if (watched.size >= MOST_WATCHED) return
    const entry: Watched = { keys: new Set([key]), ending: new AbortController() }
    watched.set(id, entry)
    void follow(type, ref, id, entry)
  }
  const cancel = (key: string): void => {
    for (const [id, { keys, ending }] of watched) {
      if (!keys.delete(key) || keys.size > 0) continue
      watched.delete(id)
      ending.abort(new Error('nobody waits for it any more'))
    }
  }
  const stop = (): void => {
    for (const { ending } of watched.values()) ending.abort(new Error('the provisioner stops'))
    watched.clear()
  }
  return { wait, cancel, count: () => watched.size, stop }
}
