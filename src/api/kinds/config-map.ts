import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

export type ConfigMap = {
  readonly apiVersion: 'v1'
  readonly kind: 'ConfigMap'
  readonly metadata: ObjectMeta
  readonly immutable?: boolean
  readonly data?: Readonly<Record<string, string>>
  /** Values are base64. */
  readonly binaryData?: Readonly<Record<string, string>>
}

export const CONFIG_MAPS: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
