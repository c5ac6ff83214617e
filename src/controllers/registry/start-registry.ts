import { startControllers } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { defineDefinitionInstaller } from './definition-installer.ts'
import { createDriverMirror } from './driver-mirror.ts'
import { defineNodeAccess } from './node-access.ts'
import type { RegistryConfig } from './registry-options.ts'

const BACKOFF = { initialMs: 200, maximumMs: 60_000 }

/** The driver registry: installs its definitions, mirrors its objects for the rest of the cluster, and counts nodes. */
export const startRegistry: StartRole<RegistryConfig> = (config, { log, ...rest }, signal) =>
  startControllers({ ...rest, log: log.with({ part: 'registry' }) }, signal, (role) => {
    const { controller, onUsable } = createDriverMirror(config, role, BACKOFF)
    return [
      defineDefinitionInstaller(config, role, BACKOFF, onUsable),
      controller,
      ...(config.nodeAccess ? [defineNodeAccess(config, role, BACKOFF)] : []),
    ]
  })
