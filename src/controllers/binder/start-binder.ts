import { startControllers } from '../../kube/controller/index.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import type { BinderConfig } from './binder-options.ts'
import { createBinderState } from './binder-state.ts'
import { defineClaimBinder } from './claim-binder.ts'
import { defineVolumeBinder } from './volume-binder.ts'

/** Binds claims and volumes to each other, and reports those that cannot be bound. */
export const startBinder: StartClusterController<BinderConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => {
    const state = createBinderState(config, role)
    return [defineClaimBinder(config, role, state), defineVolumeBinder(role, state)]
  })
