import type { ResourceType } from '../resource-type.ts'
import type { LimitRange } from './generated/core-v1.ts'

export type { LimitRange, LimitRangeItem } from './generated/core-v1.ts'

export const LIMIT_RANGES: ResourceType<LimitRange> = {
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  namespaced: true,
}
