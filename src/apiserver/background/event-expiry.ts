import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { Event } from '../../api/kinds/event.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { Clock } from '../../base/clock.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import type { BackgroundTasks } from './background-tasks.ts'

export const EVENTS_STORAGE = 'events'
const SWEEP_INTERVAL_MS = 60_000
// Number of events removed at a time: other requests get their turn in between.
const REMOVED_AT_ONCE = 500
// A sweep goes below the limits, so that the next event does not need another one.
const KEPT_SHARE = 0.9

export type EventLimits = {
  /** How long an event is kept after its last write. Default one hour. */
  readonly lifetimeMs: number
  /** Default 10,000. */
  readonly mostEvents: number
  /** Bytes of JSON text of all events. Default 16 MiB. */
  readonly mostBytes: number
}

export const EVENT_LIMITS: EventLimits = { lifetimeMs: 3_600_000, mostEvents: 10_000, mostBytes: 16 * 1024 * 1024 }

export type EventExpiryParts = {
  store: Store
  kinds: KindRegistry
  api: Api
  tasks: BackgroundTasks
  clock: Clock
  limits?: Partial<EventLimits>
}

type Kept = { readonly ms: number; readonly bytes: number }

/** Removes events that have not changed for an hour, and the oldest ones if there are too many. */
export function startEventExpiry({ store, kinds, api, tasks, clock, limits: given }: EventExpiryParts): void {
  const limits = { ...EVENT_LIMITS, ...given }
  const type = kinds.findByResource('', 'v1', 'events')?.type
  if (!type) return
  // The time of each event's last write, in order; after a restart, the time in the event itself.
  const found = store.visible
    .list(EVENTS_STORAGE)
    .map(({ key, object, json }): [string, Kept] => [key, { ms: lastSeenMs(object as Event), bytes: json.length }])
  const kept = new Map(found.sort(([, one], [, other]) => one.ms - other.ms))
  let bytes = found.reduce((sum, [, event]) => sum + event.bytes, 0)
  const isTooMuch = (share: number): boolean =>
    kept.size > limits.mostEvents * share || bytes > limits.mostBytes * share

  const forget = (key: string): void => {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  store.onChange(({ storage, key, type: change, after }) => {
    if (storage !== EVENTS_STORAGE) return
    // Deleting first keeps the map ordered by time.
    forget(key)
    if (change === 'delete') return
    kept.set(key, { ms: clock.nowMs(), bytes: after.json.length })
    bytes += after.json.length
    if (isTooMuch(1)) tasks.schedule(TASK, sweep)
  })

  const remove = async (key: string): Promise<void> => {
    const slash = key.indexOf('/')
    await api.delete(type, { namespace: key.slice(0, slash), name: key.slice(slash + 1) }).catch(ignoreNotFound)
    // It may have been removed already.
    forget(key)
  }
  /** The oldest events to remove now, as many as fit into one step. */
  const findOld = (isTrimming: boolean): string[] => {
    const old: string[] = []
    let [count, size] = [kept.size, bytes]
    for (const [key, event] of kept) {
      const isOver = isTrimming && (count > limits.mostEvents * KEPT_SHARE || size > limits.mostBytes * KEPT_SHARE)
      if (old.length === REMOVED_AT_ONCE || (!isOver && event.ms + limits.lifetimeMs > clock.nowMs())) break
      old.push(key)
      count--
      size -= event.bytes
    }
    return old
  }
  const sweep = async (): Promise<void> => {
    const isTrimming = isTooMuch(1)
    for (let old = findOld(isTrimming); old.length > 0; old = findOld(isTrimming)) await Promise.all(old.map(remove))
    tasks.after(TASK, SWEEP_INTERVAL_MS, sweep)
  }
  if (isTooMuch(1)) tasks.schedule(TASK, sweep)
  else tasks.after(TASK, SWEEP_INTERVAL_MS, sweep)
}

const TASK = 'event expiry'

function lastSeenMs({ metadata, lastTimestamp, eventTime, series }: Event): number {
  return Math.max(
    ...[metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime].map(
      (time) => findTimestamp(time) ?? 0,
    ),
  )
}
