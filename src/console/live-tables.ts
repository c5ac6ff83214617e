import { formatObject } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { KINDS } from './caches.ts'
import type { FollowedCaches, KindName } from './caches.ts'
import type { Row, StreamMessage } from './protocol.ts'
import type { Table } from './table.ts'

/** Tables that follow the cluster. */
export interface LiveTables {
  /** Sends all rows, then every change. The result ends it. */
  subscribe(send: (message: StreamMessage) => void): () => void
  /** Makes one row again, and tells that `object` changed, for what is not in the caches. */
  touch(table: string, key: string, object: string): void
  /** Replaces all rows of a table that is not made of caches. */
  replace(table: string, rows: readonly Row[]): void
  /** Called after objects have changed, at most once in a while. */
  onChanged(listener: () => void): void
  /** Sends a message to every subscriber. */
  broadcast(message: StreamMessage): void
  hasSubscribers(): boolean
  stop(): void
}

// Fast enough to look immediate, slow enough to send a burst of changes as one message.
const FLUSH_MS = 100
const ROWS_IN_A_MESSAGE = 2000
const MOST_CHANGED = 500

export function createLiveTables(tables: readonly Table[], followed: FollowedCaches, clock: Clock): LiveTables {
  const { caches } = followed
  const rows = new Map<string, Map<string, Row>>(tables.map(({ name }) => [name, new Map<string, Row>()]))
  const dirty = new Map<Table, Set<string>>(tables.map((table) => [table, new Set<string>()]))
  const subscribers = new Set<(message: StreamMessage) => void>()
  const listeners: (() => void)[] = []
  let changed = new Set<string>()
  let timer: Timer | undefined

  const broadcast = (message: StreamMessage): void => {
    for (const send of subscribers) send(message)
  }
  const put = (name: string, keys: Iterable<string>, find: (key: string) => Row | undefined): void => {
    const known = rows.get(name) ?? new Map<string, Row>()
    rows.set(name, known)
    const [added, removed]: [Row[], string[]] = [[], []]
    for (const key of keys) {
      const [before, after] = [known.get(key), find(key)]
      if (after && !(before && JSON.stringify(before) === JSON.stringify(after))) added.push(after)
      if (after) known.set(key, after)
      else if (known.delete(key)) removed.push(key)
    }
    if (added.length > 0 || removed.length > 0) broadcast({ kind: 'rows', table: name, put: added, removed })
  }
  const flush = (): void => {
    timer?.cancel()
    timer = undefined
    for (const [table, keys] of dirty) {
      put(table.name, keys, (key) => table.row(key, caches))
      keys.clear()
    }
    const objects = changed.size > MOST_CHANGED ? ['*'] : [...changed]
    changed = new Set()
    broadcast({ kind: 'changed', objects })
    for (const listener of listeners) listener()
  }
  const schedule = (): void => {
    // Without anybody who looks, the rows wait until somebody does.
    if (subscribers.size > 0) timer ??= clock.setTimer(FLUSH_MS, flush)
    else changed.clear()
  }
  const mark = (kind: KindName, object: KubeObject): void => {
    for (const [table, keys] of dirty) for (const key of table.keysOf[kind]?.(object, caches) ?? []) keys.add(key)
  }
  for (const kind of Object.keys(KINDS) as KindName[]) for (const object of caches[kind].all()) mark(kind, object)
  followed.onChange((kind: KindName, { before, after }) => {
    for (const each of [before, after]) if (each) mark(kind, each)
    const object = after ?? before
    if (object) changed.add(formatObject(object))
    schedule()
  })
  const subscribe = (send: (message: StreamMessage) => void): (() => void) => {
    flush()
    for (const [table, known] of rows) {
      const all = [...known.values()]
      for (let at = 0; at < all.length; at += ROWS_IN_A_MESSAGE)
        send({ kind: 'rows', table, put: all.slice(at, at + ROWS_IN_A_MESSAGE), removed: [] })
    }
    send({ kind: 'complete' })
    subscribers.add(send)
    return () => void subscribers.delete(send)
  }
  return {
    subscribe,
    broadcast,
    touch: (name, key, object) => {
      for (const [table, keys] of dirty) if (table.name === name) keys.add(key)
      changed.add(object)
      schedule()
    },
    replace: (name, next) => {
      const byKey = new Map(next.map((row) => [row.key, row]))
      put(name, new Set([...(rows.get(name)?.keys() ?? []), ...byKey.keys()]), (key) => byKey.get(key))
    },
    onChanged: (listener) => void listeners.push(listener),
    hasSubscribers: () => subscribers.size > 0,
    stop: () => timer?.cancel(),
  }
}
