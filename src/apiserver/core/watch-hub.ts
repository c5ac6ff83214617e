import { createChangeWindow } from './change-window.ts'
import type { Change } from './stored-object.ts'

/** What a watch is limited to. The first three are indexed: a change costs nothing for watches of other names and nodes. */
export type WatchScope = {
  readonly storage: string
  readonly namespace?: string
  readonly name?: string
  readonly nodeName?: string
  /** Whatever else is asked for: label and field selectors. */
  matches?(object: object): boolean
  /** How much `matches` has to look at: requirements and their values. */
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
  /** Events from now on, at the moment they become visible; `ended` when there will be no more. */
  subscribe(scope: WatchScope, deliver: (event: HubEvent) => void, ended?: () => void): Subscription
  /**
   * What happened in the storage after the revision, or undefined when that is no longer known. Changes elsewhere do not
   * count: a quiet kind can be resumed however much happens to others.
   */
  since(storage: string, revision: number): readonly Change[] | undefined
  /** Ends the watches of a storage whose kind is no longer served as it was; without a storage, all of them. */
  end(storage?: string): void
  subscribers(): number
}

type Watcher = { scope: WatchScope; deliver: (event: HubEvent) => void; ended: () => void }

export type HubParts = {
  /** Bytes of JSON text that are kept for watches to resume. Default 32 MiB. */
  windowBytes?: number
  onChange(listener: (change: Change) => void): void
  /** The last revision of each storage before the hub began to listen. */
  initialRevisions: ReadonlyMap<string, number>
}

const DEFAULT_WINDOW_BYTES = 32 * 1024 * 1024

export function createWatchHub({ windowBytes = DEFAULT_WINDOW_BYTES, onChange, initialRevisions }: HubParts): WatchHub {
  const indexes = new Map<string, StorageIndex>()
  const window = createChangeWindow(windowBytes, initialRevisions)
  let subscribers = 0

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
    end,
    subscribers: () => subscribers,
  }
}

/** How a change looks within a scope: entering it is ADDED, leaving it is DELETED. Undefined when it shows nothing. */
export function eventFor(scope: WatchScope, change: Change): HubEvent | undefined {
  const { before, after, type } = change
  const was = before !== undefined && isWithin(scope, before.object)
  const is = type === 'put' && isWithin(scope, after.object)
  if (was && is) return { type: 'MODIFIED', change }
  if (is) return { type: 'ADDED', change }
  // What was there before a restart is only known by its last state.
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

// A watcher sits in one place only: under its name, else its node, else its namespace, else among all.
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
