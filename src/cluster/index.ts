export { startCluster } from './start-cluster.ts'
export type { Cluster, ClusterOptions, ClusterParts, StartedPart } from './start-cluster.ts'
export { ZONE_KEY } from './start-drivers.ts'
