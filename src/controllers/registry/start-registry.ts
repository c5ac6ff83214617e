import { startControllers } from '../../kube/controller/index.ts'
import type { StartClusterController } from '../cluster-controller.ts'
import { defineDefinitionInstaller } from './definition-installer.ts'
import { followDrivers } from './follow-drivers.ts'
import { defineNodeAccess } from './node-access.ts'
import type { RegistryConfig } from './registry-options.ts'

const BACKOFF = { initialMs: 200, maximumMs: 60_000 }

/** The driver registry: installs its definitions, mirrors its objects for the rest of the cluster, and counts nodes. */
export const startRegistry: StartClusterController<RegistryConfig> = (config, { log, ...rest }, signal) => {
  const world = { ...rest, log: log.with({ part: 'registry' }) }
  return startControllers(world, signal, (role) => {
    const follower = followDrivers(config, world, BACKOFF)
    role.onStop(follower.stop)
    role.onIdle(follower.isIdle)
    return [
      defineDefinitionInstaller(config, role, BACKOFF, follower.onUsable),
      ...(config.nodeAccess ? [defineNodeAccess(config, role, BACKOFF)] : []),
    ]
  })
}
