import type { ResourceType } from '../resource-type.ts'
import type { EndpointSlice } from './generated/discovery-v1.ts'

export type { EndpointSlice } from './generated/discovery-v1.ts'

export const ENDPOINT_SLICES: ResourceType<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
}
