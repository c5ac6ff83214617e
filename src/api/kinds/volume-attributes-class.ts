import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

export type VolumeAttributesClass = {
  readonly apiVersion: 'storage.k8s.io/v1'
  readonly kind: 'VolumeAttributesClass'
  readonly metadata: ObjectMeta
  readonly driverName: string
  readonly parameters?: Readonly<Record<string, string>>
}

export const VOLUME_ATTRIBUTES_CLASSES: ResourceType<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  namespaced: false,
}
