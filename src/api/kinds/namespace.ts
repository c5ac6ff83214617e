import type { ResourceType } from '../resource-type.ts'
import type { Namespace } from './generated/core-v1.ts'

export type { Namespace } from './generated/core-v1.ts'

export const NAMESPACES: ResourceType<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}
