import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObjectReference } from './references.ts'

/** The event of the core group. The server keeps it together with that of `events.k8s.io`. */
export type Event = {
  readonly apiVersion: 'v1'
  readonly kind: 'Event'
  readonly metadata: ObjectMeta
  readonly involvedObject: ObjectReference
  readonly related?: ObjectReference
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly action?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly count?: number
  /** With microseconds. Null in events of the old kind, which have `firstTimestamp` instead. */
  readonly eventTime?: string | null
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null }
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

export const EVENTS: ResourceType<Event> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}
