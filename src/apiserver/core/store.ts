import { formatExactJson } from '../../api/exact-json.ts'
import { deepFreeze } from '../../api/freeze.ts'
import type { KubeObject } from '../../api/object.ts'
import { StorageFullError } from '../storage/backend.ts'
import type { Backend, BackendChange } from '../storage/backend.ts'
import { SortedMap } from './sorted-map.ts'
import { LoadedObject, TextObject } from './stored-object.ts'
import type { Change, StateView, StoredObject } from './stored-object.ts'

/** The result of a decision about an object, made in one turn on its newest state. */
export type Decision = { kind: 'put'; object: KubeObject } | { kind: 'delete'; object: KubeObject } | { kind: 'keep' }

export type Decide = (current: StoredObject | undefined) => Decision

/**
 * The only writer. A write is decided on the newest decided state, gets the next revision, and becomes visible to readers and watchers once its group
 * is durable. Groups are committed one after the other; writes that arrive meanwhile form the next group.
 */
export interface Store {
  /** The newest decided state: for writes, and for their admission. */
  readonly decided: StateView
  /** The durable state: for reads. */
  readonly visible: StateView
  /** The revision of the visible state. */
  revision(): number
  /**
   * Resolves when the change is durable and visible, with the object after it: the last state for a delete, undefined for a `keep` of a missing
   * object. An error thrown by `decide` is passed on, and nothing has changed.
   */
  write(storage: string, key: string, decide: Decide): Promise<StoredObject | undefined>
  /**
   * Resolves when everything decided so far is visible. A rejection that depends on it waits for that: a client must not learn that a name is taken
   * and then find no object. Rejects if it could not be made durable.
   */
  settled(): Promise<void>
  /** Calls back for each change, in order, when it becomes visible. */
  onChange(listener: (change: Change) => void): void
  /** The last revision with a change in each storage, when the store was opened. */
  readonly initialRevisions: ReadonlyMap<string, number>
  close(): Promise<void>
}

// Without a change: a request whose response depends on earlier writes.
type Pending = { change: Change | undefined; resolve(): void; reject(error: unknown): void }

export type StoreOptions = {
  /** Storages whose objects are kept only as text in memory. Default none. */
  asText?: readonly string[]
}

/** Opens the state of the backend. */
export async function openStore(backend: Backend, { asText = [] }: StoreOptions = {}): Promise<Store> {
  const loaded = await backend.load()
  const visible = new Map<string, SortedMap<StoredObject>>()
  // The newest decided change of each object that is not visible yet.
  const ahead = new Map<string, Map<string, Change>>()
  const listeners: ((change: Change) => void)[] = []
  let visibleRevision = loaded.revision
  let decidedRevision = loaded.revision
  let waiting: Pending[] = []
  let committing: Promise<void> | undefined
  let checking: Promise<boolean> | undefined

  for (const row of loaded.objects)
    objectsOf(row.storage).set(row.key, asText.includes(row.storage) ? new TextObject(row) : new LoadedObject(row))

  function objectsOf(storage: string): SortedMap<StoredObject> {
    let objects = visible.get(storage)
    if (!objects) visible.set(storage, (objects = new SortedMap()))
    return objects
  }
  const findVisible = (storage: string, key: string): StoredObject | undefined => visible.get(storage)?.get(key)
  const findDecided = (storage: string, key: string): StoredObject | undefined => {
    const change = ahead.get(storage)?.get(key)
    return change ? stateAfter(change) : findVisible(storage, key)
  }
  const listVisible = (storage: string, namespace?: string): StoredObject[] =>
    Array.from(visible.get(storage)?.values(namespace ? `${namespace}/` : '') ?? [])
  const listDecided = (storage: string, namespace?: string): StoredObject[] => {
    const changed = ahead.get(storage)
    if (!changed || changed.size === 0) return listVisible(storage, namespace)
    const merged = new Map(listVisible(storage, namespace).map((stored) => [stored.key, stored]))
    for (const [key, change] of changed) {
      if (namespace && !key.startsWith(`${namespace}/`)) continue
      const stored = stateAfter(change)
      if (stored) merged.set(key, stored)
      else merged.delete(key)
    }
    return [...merged.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  const write: Store['write'] = (storage, key, decide) =>
    backend.isFull?.() ? writeWhenFull(storage, key, decide) : decideWrite(storage, key, decide, false)
  const writeWhenFull: Store['write'] = async (storage, key, decide) => {
    // One check of the disk for all writes that are waiting for it.
    checking ??= (backend.checkRoom?.() ?? Promise.resolve(true)).finally(() => (checking = undefined))
    return decideWrite(storage, key, decide, await checking)
  }
  const decideWrite = (
    storage: string,
    key: string,
    decide: Decide,
    isFull: boolean,
  ): Promise<StoredObject | undefined> => {
    const before = findDecided(storage, key)
    let decision: Decision
    try {
      decision = decide(before)
    } catch (error) {
      return Promise.reject(error)
    }
    if (decision.kind === 'keep') {
      // Nothing changes, but the current state may not be durable yet: the response waits for it.
      return findVisible(storage, key) === before ? Promise.resolve(before) : enqueue(undefined).then(() => before)
    }
    const change = makeChange(storage, key, decision, before)
    if (isFull && grows(change)) return Promise.reject(new StorageFullError())
    let changed = ahead.get(storage)
    if (!changed) ahead.set(storage, (changed = new Map()))
    changed.set(key, change)
    return enqueue(change).then(() => change.after)
  }
  const enqueue = (change: Change | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      committing ??= commitAll()
    })

  const makeChange = (
    storage: string,
    key: string,
    decision: Exclude<Decision, { kind: 'keep' }>,
    before: StoredObject | undefined,
  ): Change => {
    const revision = ++decidedRevision
    // apiVersion, kind and metadata first, as people expect.
    const { apiVersion, kind, metadata, ...rest } = decision.object
    const object = deepFreeze<KubeObject>({
      apiVersion,
      kind,
      metadata: { ...metadata, resourceVersion: String(revision) },
      ...rest,
    })
    return {
      revision,
      storage,
      key,
      type: decision.kind,
      before,
      after: { key, revision, object, json: formatExactJson(object) },
    }
  }

  const commitAll = async (): Promise<void> => {
    // One turn later, so that writes of the same turn share a group.
    await Promise.resolve()
    while (waiting.length > 0) {
      await backend.gather?.()
      const group = waiting
      waiting = []
      const changes = group.flatMap(({ change }) => change ?? [])
      try {
        if (changes.length > 0) await backend.commit(changes.map(toBackendChange))
      } catch (error) {
        fail(group, error)
        continue
      }
      for (const change of changes) show(change)
      for (const { resolve } of group) resolve()
    }
    committing = undefined
  }
  // Writes that were decided after the failed group depend on it, and fail with it.
  const fail = (group: Pending[], error: unknown): void => {
    const failed = [...group, ...waiting]
    waiting = []
    ahead.clear()
    for (const { reject } of failed) reject(error)
  }

  const show = (change: Change): void => {
    const { storage, key, type, after, revision } = change
    if (type === 'put') objectsOf(storage).set(key, asText.includes(storage) ? new TextObject(after) : after)
    else objectsOf(storage).delete(key)
    const changed = ahead.get(storage)
    if (changed?.get(key) === change) changed.delete(key)
    visibleRevision = revision
    for (const listener of listeners) tell(listener, change)
  }

  return {
    decided: { find: findDecided, list: listDecided },
    visible: { find: findVisible, list: listVisible },
    revision: () => visibleRevision,
    write,
    settled: () => (committing ? enqueue(undefined) : Promise.resolve()),
    onChange: (listener) => void listeners.push(listener),
    initialRevisions: loaded.lastRevisions,
    close: async () => {
      await committing
      await backend.close()
    },
  }
}

const stateAfter = ({ type, after }: Change): StoredObject | undefined => (type === 'put' ? after : undefined)

// A failing listener is a bug. The error is not hidden, but the change is durable and all other listeners get it.
function tell(listener: (change: Change) => void, change: Change): void {
  try {
    listener(change)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

const toBackendChange = (change: Change): BackendChange => {
  const { revision, storage, key, type, after } = change
  return { revision, storage, key, json: type === 'put' ? after.json : undefined, grows: grows(change) }
}

// A deletion mark or a condition: writes that are needed to get rid of an object are always allowed.
const ALLOWED_GROWTH = 1024

const grows = ({ type, after, before }: Change): boolean =>
  type === 'put' && (before === undefined || after.json.length > before.json.length + ALLOWED_GROWTH)
