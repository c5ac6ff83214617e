import { isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import { startInformer } from './informer.ts'
import type { Informer, InformerParts, InformerScope } from './informer.ts'

// Long enough for all roles of a process to start, and shorter than any retry.
const KEPT_ANSWER_MS = 60_000

/** One cache for each kind and scope, shared by all parts of the program. */
export interface Informers {
  /** Starts the informer on the first call. Only the group stops it. */
  get<T extends KubeObject>(type: ResourceType<T>, scope?: InformerScope): Omit<Informer<T>, 'stop'>
  /**
   * Whether the server has the kind and lets us read it. The result is cached for a while, so that roles of one process ask once. Rejects only if the
   * server does not respond.
   */
  isServed(type: ResourceType, signal: AbortSignal): Promise<boolean>
  /** Resolves when all caches requested so far are complete. */
  synced(signal?: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/** All use one identity: a cache contains what that identity may read. */
export function createInformers(parts: InformerParts): Informers {
  const { api, clock } = parts
  const started = new Map<string, Informer<KubeObject>>()
  let stopped = false
  const get = <T extends KubeObject>(type: ResourceType<T>, scope: InformerScope = {}): Informer<T> => {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = scope
    const key = JSON.stringify([apiVersionOf(type), type.plural, namespace, labelSelector, fieldSelector])
    let informer = started.get(key)
    if (!informer) {
      if (stopped) throw new Error(`the informers were stopped: none of ${type.plural} is started any more`)
      informer = startInformer<KubeObject>(type, scope, parts)
      started.set(key, informer)
    }
    // The key contains the type, so the informer under it has objects of type T.
    return informer as unknown as Informer<T>
  }
  const served = new Map<string, { readonly answer: Promise<boolean>; readonly askedMs: number }>()
  const isServed = (type: ResourceType, signal: AbortSignal): Promise<boolean> => {
    const key = JSON.stringify([apiVersionOf(type), type.plural])
    const known = served.get(key)
    if (known && clock.monotonicMs() - known.askedMs < KEPT_ANSWER_MS) return abandonOnAbort(known.answer, signal)
    const answer = askIfServed(api, type)
    served.set(key, { answer, askedMs: clock.monotonicMs() })
    // A failure is not cached.
    answer.catch(() => served.delete(key))
    return abandonOnAbort(answer, signal)
  }
  const synced = async (signal?: AbortSignal): Promise<void> => {
    await Promise.all(started.values().map((informer) => informer.synced(signal)))
  }
  const stop = async (): Promise<void> => {
    stopped = true
    await Promise.all(started.values().map((informer) => informer.stop()))
  }
  return { get, isServed, synced, stop }
}

async function askIfServed(api: Api, type: ResourceType): Promise<boolean> {
  try {
    await api.list(type, { limit: 1 })
    return true
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return false
    throw error
  }
}
