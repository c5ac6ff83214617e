import type { ResourceType } from '../resource-type.ts'
import type { PersistentVolume } from './generated/core-v1.ts'

export type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  PersistentVolumeStatus,
} from './generated/core-v1.ts'
export type { AccessMode, PersistentVolumePhase, ReclaimPolicy, VolumeMode } from './values.ts'

export const PERSISTENT_VOLUMES: ResourceType<PersistentVolume> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
}
