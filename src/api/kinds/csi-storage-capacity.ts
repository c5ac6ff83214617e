import type { ResourceType } from '../resource-type.ts'
import type { CSIStorageCapacity } from './generated/storage-v1.ts'

export type { CSIStorageCapacity } from './generated/storage-v1.ts'

export const CSI_STORAGE_CAPACITIES: ResourceType<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
}
