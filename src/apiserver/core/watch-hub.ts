import { createChangeWindow } from './change-window.ts'
import type { Change } from './stored-object.ts'

/** The scope of a watch. The first three are indexed: a change costs nothing for watches of other names and nodes. */
export type WatchScope = {
  readonly storage: string
  readonly namespace?: string
  readonly name?: string
  readonly nodeName?: string
  /** All other conditions: label and field selectors. */
  matches?(object: object): boolean
  /** The cost of `matches`: the number of requirements and their values. */
  readonly weight?: number
}

/** A change as one watch sees it. */
export type HubEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly change: Change }
  | { readonly type: 'BOOKMARK'; readonly revision: number }

export interface Subscription {
  close(): void
}

export interface WatchHub {
  /** Delivers events from now on, when they become visible; calls `ended` when there will be no more. */
  subscribe(scope: WatchScope, deliver: (event: HubEvent) => void, ended?: () => void): Subscription
  /**
   * The changes of the storage after the revision, or undefined if they are no longer known. Changes elsewhere do not count: a watch of a quiet kind
   * can resume, however much happens to others.
   */
  since(storage: string, revision: number): readonly Change[] | undefined
  /** The oldest version that can be listed. Watches may resume from an older one. */
  oldestListed(): number
  /** Versions before this one are no longer listed. */
  expire(revision: number): void
  /** Ends the watches of a storage whose kind was removed or replaced; without a storage, all watches. */
  end(storage?: string): void
  subscribers(): number
}

type Watcher = { scope: WatchScope; deliver: (event: HubEvent) => void; ended: () => void }

export type HubParts = {
  /** Bytes of JSON text that are kept for resuming watches. Default 32 MiB. */
  windowBytes?: number
  onChange(listener: (change: Change) => void): void
  /** The last revision of each storage before the hub was created. */
  initialRevisions: ReadonlyMap<string, number>
}

const DEFAULT_WINDOW_BYTES = 32 * 1024 * 1024

export function createWatchHub({ windowBytes = DEFAULT_WINDOW_BYTES, onChange, initialRevisions }: HubParts): WatchHub {
  const indexes = new Map<string, StorageIndex>()
  const window = createChangeWindow(windowBytes, initialRevisions)
  let subscribers = 0
  let oldestListed = 0

  onChange((change) => {
    window.add(change)
    indexes.get(change.storage)?.dispatch(change)
  })

  const subscribe = (
    scope: WatchScope,
    deliver: (event: HubEvent) => void,
    ended: () => void = () => {},
  ): Subscription => {
    let index = indexes.get(scope.storage)
    if (!index) indexes.set(scope.storage, (index = createStorageIndex()))
    const remove = index.add({ scope, deliver, ended })
    subscribers++
    let open = true
    return {
      close: () => {
        if (!open) return
        open = false
        subscribers--
        remove()
      },
    }
  }

  const end = (storage?: string): void => {
    const ending = storage === undefined ? [...indexes.values()] : [indexes.get(storage)]
    for (const { ended } of ending.flatMap((index) => index?.all() ?? [])) ended()
  }
  return {
    subscribe,
    since: (storage, revision) => window.since(storage, revision),
    oldestListed: () => oldestListed,
    expire: (revision) => void (oldestListed = revision),
    end,
    subscribers: () => subscribers,
  }
}

/** The event of a change within a scope: entering the scope is ADDED, leaving it is DELETED. Undefined if there is none. */
export function eventFor(scope: WatchScope, change: Change): HubEvent | undefined {
  const { before, after, type } = change
  const was = before !== undefined && isWithin(scope, before.object)
  const is = type === 'put' && isWithin(scope, after.object)
  if (was && is) return { type: 'MODIFIED', change }
  if (is) return { type: 'ADDED', change }
  // Of an object from before a restart, only the last state is known.
  if (was || (type === 'delete' && before === undefined && isWithin(scope, after.object)))
    return { type: 'DELETED', change }
  return undefined
}

/** Is the object within the scope? */
export function isWithin({ namespace, name, nodeName, matches }: WatchScope, object: object): boolean {
  const { metadata } = object as { metadata: { name?: string; namespace?: string } }
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  if (name !== undefined && metadata.name !== name) return false
  if (nodeName !== undefined && nodeNameOf(object) !== nodeName) return false
  return matches?.(object) ?? true
}

const nodeNameOf = (object: object | undefined): string =>
  (object as { spec?: { nodeName?: string } } | undefined)?.spec?.nodeName ?? ''

interface StorageIndex {
  add(watcher: Watcher): () => void
  all(): Watcher[]
  dispatch(change: Change): void
}

// Each watcher is in one place only: under its name, otherwise its node, otherwise its namespace, otherwise among all.
function createStorageIndex(): StorageIndex {
  const everything = new Set<Watcher>()
  const byName = new Map<string, Set<Watcher>>()
  const byNode = new Map<string, Set<Watcher>>()
  const byNamespace = new Map<string, Set<Watcher>>()

  const placeOf = ({ name, nodeName, namespace }: WatchScope): [Map<string, Set<Watcher>>, string] | undefined => {
    if (name !== undefined) return [byName, name]
    if (nodeName !== undefined) return [byNode, nodeName]
    if (namespace !== undefined) return [byNamespace, namespace]
    return undefined
  }
  const add = (watcher: Watcher): (() => void) => {
    const place = placeOf(watcher.scope)
    if (!place) {
      everything.add(watcher)
      return () => void everything.delete(watcher)
    }
    const [map, key] = place
    const watchers = map.get(key) ?? new Set()
    map.set(key, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0) map.delete(key)
    }
  }
  const dispatch = (change: Change): void => {
    const { metadata } = change.after.object
    const nodes = new Set([nodeNameOf(change.before?.object), nodeNameOf(change.after.object)])
    deliverTo(everything, change)
    deliverTo(byName.get(metadata.name ?? ''), change)
    deliverTo(byNamespace.get(metadata.namespace ?? ''), change)
    for (const node of nodes) deliverTo(byNode.get(node), change)
  }
  const all = (): Watcher[] =>
    [everything, ...byName.values(), ...byNode.values(), ...byNamespace.values()].flatMap((watchers) => [...watchers])
  return { add, all, dispatch }
}

function deliverTo(watchers: Set<Watcher> | undefined, change: Change): void {
  for (const { scope, deliver } of watchers ?? []) {
    const event = eventFor(scope, change)
    if (event) deliver(event)
  }
}
