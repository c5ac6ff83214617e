import type { ResourceType } from '../resource-type.ts'
import type { Event as EventsV1Event } from './generated/events-v1.ts'

export type { Event as EventsV1Event } from './generated/events-v1.ts'

export const EVENTS_V1_EVENTS: ResourceType<EventsV1Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}
