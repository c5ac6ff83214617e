import type { Api } from '../api/api.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { Informers } from '../kube/informers.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import type { QueueMetrics } from '../kube/queue-metrics.ts'

/** What a controller works with. One API and one cache for each kind, however many controllers share the process. */
export type ControllerWorld = {
  readonly api: Api
  readonly informers: Informers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** For the queues of the controller. Left out: they are not measured. */
  readonly queues?: QueueMetrics
}

/** A controller at work. */
export type WorkingController = RunningRole

/** Resolves once the caches that it needs are full and it is working. */
export type StartClusterController<Config> = (config: Config, world: ControllerWorld, signal: AbortSignal) => Promise<WorkingController>
