import type { Registry } from 'prom-client'
import type { Driver } from '../csi/rpc.ts'
import type { RoleWorld } from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import type { DriverFacts } from './discover-driver.ts'
import type { HttpRoutes } from '../kube/process/serve-http.ts'

/** The environment of a role. One driver and one API, however many roles share the process. */
export type RoleParts = RoleWorld & {
  readonly driver: Driver
  readonly facts: DriverFacts
  /** For its own metrics. A role that starts again finds the metrics that it registered before. */
  readonly registry?: Registry
}

export type { RunningRole }

/** Resolves once the required caches are filled and the role is working. The signal aborts when the role has to end, also later. */
export type StartRole<Config> = (config: Config, parts: RoleParts, signal: AbortSignal) => Promise<RunningRole>

/** A role as the process sees it, with its options already bound. */
export type RoleDefinition = {
  readonly name: string
  /** The source component of its events. */
  component(driver: string): string
  /** Undefined if it works on every replica at the same time. */
  leaseName(driver: string): string | undefined
  /** Its HTTP pages besides metrics. */
  readonly routes?: HttpRoutes
  /** Why this driver does not need the role, or undefined. Absent: every driver needs it. */
  notNeeded?(facts: DriverFacts): string | undefined
  start(parts: RoleParts, signal: AbortSignal): Promise<RunningRole>
}
