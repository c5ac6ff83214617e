import { after, atStart, defineController, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole, WaitStep } from '../../kube/controller/index.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import { defineDefinitionInstaller } from './definition-installer.ts'
import { ensureNodeAccess } from './ensure-node-access.ts'
import { followDrivers } from './follow-drivers.ts'
import type { RegistryConfig } from './registry-options.ts'

const BACKOFF = { initialMs: 200, maximumMs: 60_000 }

/** The driver registry: has its definitions installed, mirrors its objects for the rest of the cluster, and counts nodes. */
export const startRegistry: StartClusterController<RegistryConfig> = (config, { log, ...rest }, signal) => {
  const world = { ...rest, log: log.with({ part: 'registry' }) }
  return startControllers(world, signal, (role) => {
    const follower = followDrivers(config, world)
    role.onStop(() => follower.stop())
    role.onIdle(() => follower.isIdle())
    const queue = role.createQueue({ name: 'registry-definitions', lanes: { default: 1 }, backoff: BACKOFF })
    return [
      defineDefinitionInstaller(config, role, queue, follower.onUsable),
      ...(config.nodeAccess ? [defineNodeAccess(config, role)] : []),
    ]
  })
}

/** Looks from time to time whether nodes may write their own CSINodeInfo. There is one key, and it is always done the same way. */
function defineNodeAccess({ crdCheckMs }: RegistryConfig, { api, createQueue }: ControllerRole) {
  return defineController({
    name: 'registry-node-access',
    queue: createQueue({ name: 'registry-node-access', lanes: { default: 1 }, backoff: BACKOFF }),
    watch: [atStart('node access')],
    view: () => ({}),
    decide: (_view: object): WaitStep | { readonly kind: 'ensure' } => ({ kind: 'ensure' }),
    perform: {
      ensure: async (_step, { log }) => {
        await ensureNodeAccess(api, log)
        return after(crdCheckMs)
      },
    },
  })
}
