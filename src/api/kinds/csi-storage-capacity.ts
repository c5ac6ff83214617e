import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { Quantity } from './resources.ts'
import type { LabelSelector } from './selectors.ts'

/** How much room there is for one class in one part of the cluster. */
export type CSIStorageCapacity = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'CSIStorageCapacity'
  readonly metadata: ObjectMeta
  /** Left out: no node at all; empty: every node. */
  readonly nodeTopology?: LabelSelector
  readonly storageClassName: string
  /** Left out: not known. */
  readonly capacity?: Quantity
  /** Left out: `capacity` is taken for it. */
  readonly maximumVolumeSize?: Quantity
}

export const CSI_STORAGE_CAPACITIES: ResourceType<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
}
