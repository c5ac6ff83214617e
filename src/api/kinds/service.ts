import type { ResourceType } from '../resource-type.ts'
import type { Service } from './generated/core-v1.ts'

export type { Service, ServicePort, ServiceSpec } from './generated/core-v1.ts'

export const SERVICES: ResourceType<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
}
