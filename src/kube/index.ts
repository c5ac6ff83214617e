export { connectApi } from './client/connect-api.ts'
export type { HttpApiParts } from './client/http-api.ts'
export { loadInCluster, loadKubeconfig } from './client/credentials.ts'
export type { Credentials, RequestHeaders, TlsSettings } from './client/credentials.ts'
export type { CredentialParts } from './client/identity.ts'
export { KubeconfigError } from './client/parse-kubeconfig.ts'
export { createRateLimit } from './client/rate-limit.ts'
export type { RateLimit } from './client/rate-limit.ts'
export { startInformer } from './cache/informer.ts'
export type { Informer, InformerParts, InformerScope } from './cache/informer.ts'
export { applyYaml, ManifestError } from './client/apply-yaml.ts'
export type { AppliedObject, ApplyOptions } from './client/apply-yaml.ts'
export { untilObject } from './cache/until-object.ts'
export { createInformers } from './cache/informers.ts'
export type { Informers } from './cache/informers.ts'
export type { CacheChange, IndexFunction, ObjectCache } from './cache/object-cache.ts'
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
export { leaseName } from '../api/lease-name.ts'
export { startLeaderElection } from './process/leader-election.ts'
export type { LeaderElection, LeaderElectionOptions, LeaderState } from './process/leader-election.ts'
export { createEventRecorder } from './controller/event-recorder.ts'
export type { EventRecorder, EventRecorderParts } from './controller/event-recorder.ts'
export { createQueueMetrics } from './controller/queue-metrics.ts'
export type { QueueMetrics } from './controller/queue-metrics.ts'
