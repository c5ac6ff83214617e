import type { ResourceType } from '../resource-type.ts'
import type { ServiceAccount } from './generated/core-v1.ts'

export type { ServiceAccount } from './generated/core-v1.ts'

export const SERVICE_ACCOUNTS: ResourceType<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
}
