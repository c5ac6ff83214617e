import type { ResourceType } from '../resource-type.ts'
import type { StorageClass } from './generated/storage-v1.ts'

export type { StorageClass } from './generated/storage-v1.ts'
export type { VolumeBindingMode } from './values.ts'

export const STORAGE_CLASSES: ResourceType<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
}
