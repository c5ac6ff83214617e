import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Informer } from '../cache/informer.ts'
import type { CacheChange, ObjectCache } from '../cache/object-cache.ts'
import { createOwnWrites } from './own-writes.ts'

/** The objects of one kind as a controller sees them: the watched state, plus our own writes that the watch does not show yet. */
export interface FollowedKind<T extends KubeObject> extends Pick<
  ObjectCache<T>,
  'all' | 'size' | 'byIndex' | 'addIndex' | 'indexBy'
> {
  /** The newest known state, including our own writes. Indexes find objects by their watched state, and return the newest; `all` shows the watched state. */
  get(key: string): T | undefined
  /** Remembers the response to a write. The framework calls this for every write through the role's `api`. */
  remember(object: T): void
  /** The listener is removed at the latest when the role stops. */
  onChange(listener: (change: CacheChange<T>) => void): () => void
  /** Called with the key for each change, and for each of our own writes that is newer than the watched state. */
  onUpdate(listener: (key: string) => void): () => void
  synced(signal?: AbortSignal): Promise<void>
  isSynced(): boolean
  stop(): void
}

/** Read-your-own-writes over an informer's cache. */
export function followKind<T extends KubeObject>(informer: Omit<Informer<T>, 'stop'>): FollowedKind<T> {
  const { get, newestOf, remember, stop: stopOwnWrites } = createOwnWrites(informer)
  const unwatches: (() => void)[] = []
  const onChange = (listener: (change: CacheChange<T>) => void): (() => void) => {
    const unwatch = informer.onChange(listener)
    unwatches.push(unwatch)
    return unwatch
  }
  const listeners = new Set<(key: string) => void>()
  const rememberAndTell = (object: T): void => {
    if (!remember(object)) return
    for (const listener of listeners) listener(keyOf(object))
  }
  const onUpdate = (listener: (key: string) => void): (() => void) => {
    listeners.add(listener)
    const unwatch = onChange(({ key }) => listener(key))
    return () => {
      unwatch()
      listeners.delete(listener)
    }
  }
  const stop = (): void => {
    unwatches.forEach((unwatch) => unwatch())
    stopOwnWrites()
  }
  const { all, size, addIndex, synced, isSynced } = informer
  return {
    get,
    all,
    size,
    byIndex: (index, value) => newestOf(informer.byIndex(index, value)),
    addIndex,
    indexBy: (values) => {
      const find = informer.indexBy(values)
      return (value) => newestOf(find(value))
    },
    remember: rememberAndTell,
    onChange,
    onUpdate,
    synced,
    isSynced,
    stop,
  }
}
