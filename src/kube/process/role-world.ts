import type { Api } from '../../api/api.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { EventRecorder } from '../controller/event-recorder.ts'
import type { Informers } from '../cache/informers.ts'
import type { QueueMetrics } from '../controller/queue-metrics.ts'

/** What a role works with. One API, and one cache for each kind, shared by all roles of the process. */
export type RoleWorld = {
  readonly api: Api
  readonly informers: Informers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Metrics for the queues of the role. Default: none. */
  readonly queues?: QueueMetrics
}
