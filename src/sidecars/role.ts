import type { Registry } from 'prom-client'
import type { Driver } from '../csi/rpc.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import type { DriverFacts } from './discover-driver.ts'
import type { HttpRoutes } from '../kube/process/serve-http.ts'

/** What a role works with. One driver, like one API, however many roles share the process. */
export type RoleParts = RoleWorld & {
  readonly driver: Driver
  readonly facts: DriverFacts
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
  /** Why this driver needs no such role, or undefined. Left out: every driver needs it. */
  notNeeded?(facts: DriverFacts): string | undefined
  start(parts: RoleParts, signal: AbortSignal): Promise<RunningRole>
}
