import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { LocalObjectReference, ObjectReference } from './references.ts'

export type ServiceAccount = {
  readonly apiVersion: 'v1'
  readonly kind: 'ServiceAccount'
  readonly metadata: ObjectMeta
  readonly secrets?: readonly ObjectReference[]
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly automountServiceAccountToken?: boolean
}

export const SERVICE_ACCOUNTS: ResourceType<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
}
