import type { Registry } from 'prom-client'
import type { RoleWorld } from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'

/** The environment of a controller. */
export type ControllerWorld = RoleWorld & {
  /** For its own metrics. A controller that starts again finds the metrics that it registered before. */
  readonly registry?: Registry
}

/** A running controller. */
export type WorkingController = RunningRole

/** Resolves once the caches are synced and the controller is running. */
export type StartClusterController<Config> = (
  config: Config,
  world: ControllerWorld,
  signal: AbortSignal,
) => Promise<WorkingController>
