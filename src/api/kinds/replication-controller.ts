import type { ResourceType } from '../resource-type.ts'
import type { ReplicationController } from './generated/core-v1.ts'

export type {
  ReplicationController,
  ReplicationControllerSpec,
  ReplicationControllerStatus,
} from './generated/core-v1.ts'

export const REPLICATION_CONTROLLERS: ResourceType<ReplicationController> = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
}
