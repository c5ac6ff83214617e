import { startControllers } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import type { BinderConfig } from './binder-options.ts'
import { createBinderState } from './binder-state.ts'
import { defineClaimBinder } from './claim-binder.ts'
import { defineVolumeBinder } from './volume-binder.ts'

/** Binds claims and volumes to each other, and reports those that cannot be bound. */
export const startBinder: StartRole<BinderConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => {
    const state = createBinderState(config, role)
    return [defineClaimBinder(config, role, state), defineVolumeBinder(role, state)]
  })
