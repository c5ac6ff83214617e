import { defineCommand } from '../base/options/index.ts'
import { checkClusterRegistrarConfig, clusterRegistrarOptions } from '../sidecars/cluster-registrar/index.ts'
import { clusterRegistrarRole } from '../sidecars/cluster-registrar-role.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { runRoles } from './run-roles.ts'
import type { World } from './world.ts'

const command = defineCommand({
  name: 'holdfast cluster-driver-registrar',
  summary:
    'Registers a CSI driver with the cluster: creates its CSIDriver objects if they do not exist, and reports whether the driver is ready. Accepts the flags of the Go program of that name. It is not needed if a manifest creates the CSIDriver.',
  options: { ...standardOptions, ...clusterRegistrarOptions },
  examples: [
    {
      text: 'For a driver that needs pod information',
      command: 'holdfast cluster-driver-registrar --csi-address=/run/csi/csi.sock --pod-info-mount',
    },
    {
      text: 'With /readyz for readiness probes',
      command: 'holdfast cluster-driver-registrar --http-endpoint=:8080',
    },
  ],
  check: (config) => [...checkStandardConfig(config), ...checkClusterRegistrarConfig(config)],
})

/** The registrar of a cluster as a process of its own. */
export const clusterDriverRegistrarCommand = createCommandModule(command, (config, world) => {
  let exiting = false
  const untilStopped = async (): Promise<string> => {
    const signal = await world.untilStopped()
    exiting = true
    return signal
  }
  const role = clusterRegistrarRole({ ...config, isExiting: () => exiting })
  const watched: World = { ...world, untilStopped }
  return runRoles(
    { program: 'cluster-driver-registrar', config, callTimeoutMs: config.timeoutMs, roles: () => [role] },
    watched,
  )
})
