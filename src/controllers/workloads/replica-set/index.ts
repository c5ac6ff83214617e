export {
  replicaSetOptions,
  replicationControllerOptions,
  startReplicaSet,
  startReplicationController,
} from './start-replica-set.ts'
