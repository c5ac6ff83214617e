import type { Registry } from 'prom-client'
import type { Api } from '../../api/api.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Tracer } from '../../base/tracing/index.ts'
import type { EventRecorder } from '../controller/event-recorder.ts'
import type { Informers } from '../cache/informers.ts'
import type { QueueMetrics } from '../controller/queue-metrics.ts'
import type { RunningRole } from './running-role.ts'

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
  /** For its own metrics. A role that starts again finds the metrics that it registered before. */
  readonly registry?: Registry
  /** Records the steps of the role. Default: none. */
  readonly tracer?: Tracer | undefined
}

/** Resolves once the required caches are filled and the role is working. The signal aborts when the role has to end, also later. */
export type StartRole<Config, World extends RoleWorld = RoleWorld> = (
  config: Config,
  world: World,
  signal: AbortSignal,
) => Promise<RunningRole>
