export { startCluster } from './start-cluster.ts'
export type { Cluster } from './start-cluster.ts'
export type { ClusterOptions, ClusterParts, GivenDriver, StartedPart } from './cluster-options.ts'
export { ZONE_KEY } from './start-drivers.ts'
