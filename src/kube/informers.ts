import type { KubeObject } from '../api/object.ts'
import { apiVersionOf } from '../api/resource-type.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { startInformer } from './informer.ts'
import type { Informer, InformerParts, InformerScope } from './informer.ts'

/** One cache for each kind and scope, however many parts of the program ask for it. */
export interface Informers {
  /** Starts the informer when it is asked for the first time. Only the group stops it. */
  get<T extends KubeObject>(type: ResourceType<T>, scope?: InformerScope): Omit<Informer<T>, 'stop'>
  /** Resolves when all that were asked for so far hold everything. */
  synced(signal?: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/** All with one identity: what a cache shows is what that identity may see. */
export function createInformers(parts: InformerParts): Informers {
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
    // The key holds the type, so what was started under it has objects of type T.
    return informer as unknown as Informer<T>
  }
  const synced = async (signal?: AbortSignal): Promise<void> => {
    await Promise.all(started.values().map((informer) => informer.synced(signal)))
  }
  const stop = async (): Promise<void> => {
    stopped = true
    await Promise.all(started.values().map((informer) => informer.stop()))
  }
  return { get, synced, stop }
}
