// What most programs need, in one import. Each folder's own door (`holdfast/api`, `holdfast/kube`, `holdfast/csi`, …) has the rest; a whole
// cluster for tests is in `holdfast/cluster`, which takes longer to load.
export {
  createLogger,
  createSilentLogger,
  createSystemClock,
  createSystemHost,
  createSystemRandom,
} from './base/index.ts'
export {
  ApiError,
  CSI_DRIVERS,
  isAlreadyExists,
  isConflict,
  isNotFound,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  SECRETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from './api/index.ts'
export type { Api, KubeObject, ObjectRef, ResourceType } from './api/index.ts'
export { connect, runControllers, untilStopped } from './connect/index.ts'
export type { ConnectedCluster, ConnectOptions } from './connect/index.ts'
export { applyYaml, connectApi, loadInCluster, loadKubeconfig, startInformer, untilObject } from './kube/index.ts'
export { after, defineController, DONE, keyIfPresent, on, startControllers } from './kube/index.ts'
export type { AppliedObject, ControllerDefinition, ControllerRole, Informer, Pass } from './kube/index.ts'
export { connectDriver, CsiError, isCsiError, outcomeOf } from './csi/index.ts'
export type { Driver } from './csi/index.ts'
