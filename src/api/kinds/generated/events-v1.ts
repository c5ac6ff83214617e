// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'
import type { EventSource, ObjectReference } from './core-v1.ts'

/** The event of `events.k8s.io`: the same stored object as the core group's, under other field names. */
export type Event = {
  readonly apiVersion: 'events.k8s.io/v1'
  readonly kind: 'Event'
  readonly metadata: ObjectMeta
  /** With microseconds. */
  readonly eventTime: string | null
  readonly series?: EventSeries
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: EventSource
  readonly deprecatedFirstTimestamp?: string | null
  readonly deprecatedLastTimestamp?: string | null
  readonly deprecatedCount?: number
}

export type EventSeries = {
  readonly count: number
  readonly lastObservedTime: string | null
}
