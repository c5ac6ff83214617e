export { chooseSeedDriver } from './choose-seed-driver.ts'
export type { SeedChoice } from './choose-seed-driver.ts'
export { DRIVER_GATES } from './driver-gates.ts'
export { createDefaultDriver, isUntouchedDefault } from './default-csi-driver.ts'
export type { DriverGates } from './driver-gates.ts'
export { driverPolicyOf } from './driver-policy.ts'
export type { DriverPolicy, DriverRecords, PodInfoPrefix } from './driver-policy.ts'
export {
  createMirror,
  isMirror,
  MIRROR_ANNOTATION,
  mirroredFields,
  mirrorNameProblems,
  POD_HANDLES_ANNOTATION,
  seedDriverOf,
} from './mirror-csi-driver.ts'
export type { MirroredFields } from './mirror-csi-driver.ts'
export { podInfoAttributes } from './pod-info.ts'
export type { PodFacts } from './pod-info.ts'
export {
  isOwnSeedCrd,
  SEED_CRDS,
  SEED_CSI_DRIVER_CRD,
  SEED_CSI_NODE_INFO_CRD,
  SEED_GROUP,
  SEED_VERSION,
} from './seed-crds.ts'
export { driverNamedBy, SEED_CSI_DRIVERS, seedRequiresAttach } from './seed-csi-driver.ts'
export type { SeedCSIDriver, SeedCSIDriverSpec, SeedCSIDriverStatus, ServiceAccountToken } from './seed-csi-driver.ts'
export {
  createNodeInfo,
  CSI_NODE_INFOS,
  driversOfCsiNode,
  driversOfNodeInfo,
  nodeInfoOf,
  withDriver,
  withNodeInfo,
  withoutDriver,
} from './seed-csi-node-info.ts'
export type { CSINodeInfo, CSINodeInfoDriver, RegisteredDriver } from './seed-csi-node-info.ts'
export { tokenRequestsOf } from './seed-tokens.ts'
