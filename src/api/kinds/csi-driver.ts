import type { ResourceType } from '../resource-type.ts'
import type { CSIDriver } from './generated/storage-v1.ts'

export type { CSIDriver, CSIDriverSpec, TokenRequest as CSIDriverTokenRequest } from './generated/storage-v1.ts'
export type { FSGroupPolicy, VolumeLifecycleMode } from './values.ts'

export const CSI_DRIVERS: ResourceType<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
}
