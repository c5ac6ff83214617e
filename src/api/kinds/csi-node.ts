import type { ResourceType } from '../resource-type.ts'
import type { CSINode } from './generated/storage-v1.ts'

export type { CSINode, CSINodeDriver } from './generated/storage-v1.ts'

export const CSI_NODES: ResourceType<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
}
