import type { ResourceType } from '../resource-type.ts'
import type { VolumeAttributesClass } from './generated/storage-v1.ts'

export type { VolumeAttributesClass } from './generated/storage-v1.ts'

export const VOLUME_ATTRIBUTES_CLASSES: ResourceType<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  namespaced: false,
}
