import type { ResourceType } from '../resource-type.ts'
import type { Binding } from './generated/core-v1.ts'

export type { Binding } from './generated/core-v1.ts'

export const BINDINGS: ResourceType<Binding> = {
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
}
