import type { RoleWorld } from '../kube/process/role-world.ts'
import type { RunningRole } from '../kube/process/running-role.ts'

/** What a controller works with. */
export type ControllerWorld = RoleWorld

/** A controller at work. */
export type WorkingController = RunningRole

/** Resolves once the caches that it needs are full and it is working. */
export type StartClusterController<Config> = (
  config: Config,
  world: ControllerWorld,
  signal: AbortSignal,
) => Promise<WorkingController>
