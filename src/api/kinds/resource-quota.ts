import type { ResourceType } from '../resource-type.ts'
import type { ResourceQuota } from './generated/core-v1.ts'

export type { ResourceQuota, ScopeSelector, ScopedResourceSelectorRequirement } from './generated/core-v1.ts'

export const RESOURCE_QUOTAS: ResourceType<ResourceQuota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
}
