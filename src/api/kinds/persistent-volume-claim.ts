import type { ResourceType } from '../resource-type.ts'
import type { PersistentVolumeClaim } from './generated/core-v1.ts'

export type {
  ModifyVolumeStatus,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
} from './generated/core-v1.ts'
export type { ClaimResourceStatus, PersistentVolumeClaimPhase } from './values.ts'

export const PERSISTENT_VOLUME_CLAIMS: ResourceType<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
}
