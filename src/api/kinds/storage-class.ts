import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ReclaimPolicy } from './persistent-volume.ts'
import type { TopologySelectorTerm } from './selectors.ts'

export type StorageClass = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'StorageClass'
  readonly metadata: ObjectMeta
  readonly provisioner: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly reclaimPolicy?: ReclaimPolicy
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: VolumeBindingMode
  /** One term must hold for the place of a new volume; none given: anywhere. */
  readonly allowedTopologies?: readonly TopologySelectorTerm[]
}

export type VolumeBindingMode = 'Immediate' | 'WaitForFirstConsumer'

export const STORAGE_CLASSES: ResourceType<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
}
