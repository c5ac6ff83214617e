import type { ResourceType } from '../resource-type.ts'
import type { Lease } from './generated/coordination-v1.ts'

export type { Lease, LeaseSpec } from './generated/coordination-v1.ts'

export const LEASES: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
}
