import type { Registry } from 'prom-client'
import type { Api } from '../api/api.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Driver } from '../csi/rpc.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { Informers } from '../kube/informers.ts'
import type { QueueMetrics } from '../kube/queue-metrics.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import type { DriverFacts } from './discover-driver.ts'
import type { HttpRoutes } from '../kube/process/serve-http.ts'

/** What a role works with. One driver, one API, one cache for each kind, however many roles share the process. */
export type RoleParts = {
  readonly driver: Driver
  readonly facts: DriverFacts
  readonly api: Api
  readonly informers: Informers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** For the queues of the role. Left out: they are not measured. */
  readonly queues?: QueueMetrics
  /** For metrics of its own. A role that starts again finds there what it had registered before. */
  readonly registry?: Registry
}

export type { RunningRole }

/** Resolves once the caches that it needs are full and it is working. The signal aborts when the role has to end, also later. */
export type StartRole<Config> = (config: Config, parts: RoleParts, signal: AbortSignal) => Promise<RunningRole>

/** A role as the process sees it; its own options are bound already. */
export type RoleDefinition = {
  readonly name: string
  /** Of the events that it makes. */
  component(driver: string): string
  /** Undefined: it works on every replica at once. */
  leaseName(driver: string): string | undefined
  /** Pages that it has beside metrics. */
  readonly routes?: HttpRoutes
  /** Why this driver needs no such role, or undefined. */
  notNeeded(facts: DriverFacts): string | undefined
  start(parts: RoleParts, signal: AbortSignal): Promise<RunningRole>
}
