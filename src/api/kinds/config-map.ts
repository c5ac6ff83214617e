import type { ResourceType } from '../resource-type.ts'
import type { ConfigMap } from './generated/core-v1.ts'

export type { ConfigMap } from './generated/core-v1.ts'

export const CONFIG_MAPS: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
