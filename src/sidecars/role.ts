import type { Driver } from '../csi/rpc.ts'
import type { ControllerRole } from '../kube/controller/index.ts'
import type * as world from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'
import type { DriverFacts } from './discover-driver.ts'
import type { HttpRoutes } from '../kube/process/serve-http.ts'

/** The environment of a role. One driver and one API, however many roles share the process. */
export type RoleParts = world.RoleWorld & { readonly driver: Driver; readonly facts: DriverFacts }

/** What the controllers of a role are built from. */
export type SidecarRole = ControllerRole<RoleParts>

export type { RunningRole }
export type StartRole<Config> = world.StartRole<Config, RoleParts>

/** A role as the process sees it, with its options already bound. */
export type RoleDefinition = {
  readonly name: string
  /** The source component of its events. */
  component(driver: string): string
  /** Undefined if it works on every replica at the same time. */
  leaseName(driver: string): string | undefined
  /** Its HTTP pages besides metrics. */
  readonly routes?: HttpRoutes
  /** Why this driver does not need the role, or undefined: `does not announce CREATE_DELETE_VOLUME`. Absent: every driver needs it. */
  notNeeded?(facts: DriverFacts): string | undefined
  start(parts: RoleParts, signal: AbortSignal): Promise<RunningRole>
}
