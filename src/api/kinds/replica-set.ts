import type { ResourceType } from '../resource-type.ts'
import type { ReplicaSet } from './generated/apps-v1.ts'

export type { ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus } from './generated/apps-v1.ts'

export const REPLICA_SETS: ResourceType<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
}
