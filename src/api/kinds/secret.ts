import type { ResourceType } from '../resource-type.ts'
import type { Secret } from './generated/core-v1.ts'

export type { Secret } from './generated/core-v1.ts'

export const SECRETS: ResourceType<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
}
