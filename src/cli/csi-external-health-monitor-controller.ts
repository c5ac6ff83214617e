import { defineCommand } from '../base/options/index.ts'
import { healthMonitorOptions } from '../sidecars/health-monitor/index.ts'
import { healthMonitorRole } from '../sidecars/health-monitor-role.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { runRoles } from './run-roles.ts'

const PROGRAM = 'csi-external-health-monitor-controller'

const command = defineCommand({
  name: `holdfast ${PROGRAM}`,
  summary:
    'Runs the external health monitor: reports abnormal volumes, and, if enabled, failed nodes, as events on the claims. ' +
    'Accepts the flags of the Go program of that name.',
  options: { ...standardOptions, ...healthMonitorOptions },
  examples: [
    {
      text: 'Against a cluster of kubectl',
      command: `holdfast ${PROGRAM} --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig`,
    },
  ],
  check: (config) => checkStandardConfig(config),
})

/** The external health monitor as a process of its own. */
export const csiExternalHealthMonitorControllerCommand = createCommandModule(command, (config, world) =>
  runRoles(
    { program: PROGRAM, config, callTimeoutMs: config.timeoutMs, roles: () => [healthMonitorRole(config)] },
    world,
  ),
)
