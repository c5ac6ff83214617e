import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import type { Event } from '../../api/kinds/event.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import type { Clock } from '../../base/clock.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import type { Store } from '../core/store.ts'
import type { BackgroundTasks } from './background-tasks.ts'

const EVENTS_STORAGE = 'events'
const SWEEP_INTERVAL_MS = 60_000

/** Removes events that have not changed for an hour. */
export function startEventExpiry({ store, kinds, api, tasks, clock, lifetimeMs = 3_600_000 }: { store: Store; kinds: KindRegistry; api: Api; tasks: BackgroundTasks; clock: Clock; lifetimeMs?: number }): void {
  const type = kinds.findByResource('', 'v1', 'events')?.type
  if (!type) return
  // When each was last written, in order of time; what a restart finds is as old as it says itself.
  const found = store.visible.list(EVENTS_STORAGE).map(({ key, object }): [string, number] => [key, lastSeenMs(object as Event)])
  const touchedMs = new Map(found.sort(([, one], [, other]) => one - other))
  store.onChange(({ storage, key, type: change }) => {
    if (storage !== EVENTS_STORAGE) return
    // Deleting first keeps the map in order of time.
    touchedMs.delete(key)
    if (change === 'put') touchedMs.set(key, clock.nowMs())
  })

  const remove = async (key: string): Promise<void> => {
    const slash = key.indexOf('/')
    await api.delete(type, { namespace: key.slice(0, slash), name: key.slice(slash + 1) }).catch(ignoreNotFound)
  }
  const sweep = async (): Promise<void> => {
    const old: string[] = []
    for (const [key, ms] of touchedMs) {
      if (ms + lifetimeMs > clock.nowMs()) break
      old.push(key)
    }
    await Promise.all(old.map(remove))
    tasks.after('event expiry', SWEEP_INTERVAL_MS, sweep)
  }
  tasks.after('event expiry', SWEEP_INTERVAL_MS, sweep)
}

function lastSeenMs({ metadata, lastTimestamp, eventTime, series }: Event): number {
  return Math.max(...[metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime].map((time) => findTimestamp(time) ?? 0))
}
