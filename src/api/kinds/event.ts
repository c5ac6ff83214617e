import type { ResourceType } from '../resource-type.ts'
import type { Event } from './generated/core-v1.ts'

export type { Event } from './generated/core-v1.ts'

export const EVENTS: ResourceType<Event> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}
