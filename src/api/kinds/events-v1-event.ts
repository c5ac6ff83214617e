import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObjectReference } from './references.ts'

/** The event of `events.k8s.io`: the same stored object as the core group's, under other field names. */
export type EventsV1Event = {
  readonly apiVersion: 'events.k8s.io/v1'
  readonly kind: 'Event'
  readonly metadata: ObjectMeta
  /** With microseconds. */
  readonly eventTime: string | null
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: { readonly component?: string; readonly host?: string }
  readonly deprecatedFirstTimestamp?: string | null
  readonly deprecatedLastTimestamp?: string | null
  readonly deprecatedCount?: number
}

export const EVENTS_V1_EVENTS: ResourceType<EventsV1Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}
