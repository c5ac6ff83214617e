export { checkClusterRegistrarConfig, clusterRegistrarOptions } from './cluster-registrar-options.ts'
export type { ClusterRegistrarConfig } from './cluster-registrar-options.ts'
export { startClusterRegistrar } from './start-cluster-registrar.ts'
export type { RegistrarConfig, RunningRegistrar } from './start-cluster-registrar.ts'
