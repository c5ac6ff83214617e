export { startCluster, ZONE_KEY } from './start-cluster.ts'
export type { Cluster, ClusterOptions, ClusterPart, ClusterParts } from './start-cluster.ts'
