import { defineCommand } from '../base/options/index.ts'
import { checkProvisionerConfig, provisionerOptions } from '../sidecars/provisioner/index.ts'
import { provisionerRole } from '../sidecars/provisioner-role.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { provisionerPlace } from './provisioner-place.ts'
import { runRoles } from './run-roles.ts'

const command = defineCommand({
  name: 'holdfast csi-provisioner',
  summary:
    'Runs the external provisioner: calls CreateVolume of a CSI driver for new claims, and DeleteVolume for released volumes. Accepts the flags and the environment variables (KUBECONFIG, NODE_NAME, NAMESPACE, POD_NAME, POD_NAMESPACE) of the Go program of that name.',
  options: { ...standardOptions, ...provisionerOptions },
  examples: [
    {
      text: 'With the cluster of a kubeconfig',
      command: 'holdfast csi-provisioner --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig',
    },
  ],
  check: (config) => [...checkStandardConfig(config), ...checkProvisionerConfig(config)],
})

/** The external provisioner as a process of its own. It always runs: events on claims report capabilities that the driver lacks. */
export const csiProvisionerCommand = createCommandModule(command, (config, world) =>
  runRoles(
    {
      program: 'csi-provisioner',
      environmentFirst: true,
      config,
      callTimeoutMs: config.timeoutMs,
      roles: (kubernetes, namespace) => [
        provisionerRole(config, provisionerPlace(config, world, kubernetes, namespace), world.random),
      ],
    },
    world,
  ),
)
