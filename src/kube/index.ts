export { connectApi } from './connect-api.ts'
export type { HttpApiParts } from './http-api.ts'
export { loadInCluster, loadKubeconfig } from './credentials.ts'
export type { Credentials, RequestHeaders, TlsSettings } from './credentials.ts'
export type { CredentialParts } from './identity.ts'
export { KubeconfigError } from './parse-kubeconfig.ts'
export { createRateLimit } from './rate-limit.ts'
export type { RateLimit } from './rate-limit.ts'
export { startInformer } from './informer.ts'
export type { Informer, InformerParts, InformerScope } from './informer.ts'
export { applyYaml, ManifestError } from './apply-yaml.ts'
export type { AppliedObject, ApplyOptions } from './apply-yaml.ts'
export { untilObject } from './until-object.ts'
export { createInformers } from './informers.ts'
export type { Informers } from './informers.ts'
export type { CacheChange, IndexFunction, ObjectCache } from './object-cache.ts'
export {
  after,
  atStart,
  createSaidOnce,
  createWorkQueue,
  defineController,
  DONE,
  FAILED,
  keyIfPresent,
  limitRequests,
  on,
  patchAsSeen,
  startControllers,
  topicOf,
} from './controller/index.ts'
export type {
  AnyStep,
  ControllerDefinition,
  ControllerRole,
  FollowedKind,
  FollowOptions,
  Known,
  Notice,
  Pass,
  QueueObserver,
  QueueOptions,
  StepOutcome,
  WaitStep,
  Watch,
  WorkQueue,
  WorkQueueOptions,
  WorkResult,
} from './controller/index.ts'
export { leaseName, startLeaderElection } from './leader-election.ts'
export type { LeaderElection, LeaderElectionOptions, LeaderState } from './leader-election.ts'
export { createEventRecorder } from './event-recorder.ts'
export type { EventRecorder, EventRecorderParts } from './event-recorder.ts'
export { createQueueMetrics } from './queue-metrics.ts'
export type { QueueMetrics } from './queue-metrics.ts'
