export { after, createWorkQueue, DONE, FAILED } from './work-queue.ts'
export type { QueueObserver, WorkQueue, WorkQueueOptions, WorkResult } from './work-queue.ts'
export { createChangeSource } from './change-source.ts'
export type { ChangeSource } from './change-source.ts'
export { atStart, defineController, keyIfPresent, on, onceSynced } from './controller-definition.ts'
export type {
  AnyStep,
  ControllerDefinition,
  Known,
  Notice,
  Pass,
  StepOutcome,
  WaitStep,
  Watch,
} from './controller-definition.ts'
export type { FollowedKind } from './follow-kind.ts'
export { definePeriodic } from './periodic-controller.ts'
export { limitRequests } from './limit-requests.ts'
export { deleteAsSeen, mergeAsSeen, patchAsSeen, updateAsSeen } from './patch-as-seen.ts'
export { CACHE_BEHIND_MS, topicOf } from './run-passes.ts'
export { createSaidOnce } from './said-once.ts'
export { startControllers } from './start-controllers.ts'
export { withUrgency } from './with-urgency.ts'
export type { ControllerRole, FollowOptions, QueueOptions } from './start-controllers.ts'
