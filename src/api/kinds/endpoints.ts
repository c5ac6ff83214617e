import type { ResourceType } from '../resource-type.ts'
import type { Endpoints } from './generated/core-v1.ts'

export type { EndpointSubset, Endpoints } from './generated/core-v1.ts'

export const ENDPOINTS: ResourceType<Endpoints> = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  namespaced: true,
}
