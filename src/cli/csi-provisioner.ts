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
    'Runs the external provisioner: calls CreateVolume and DeleteVolume of a CSI driver as claims come and volumes are released. Takes the flags ' +
    'and the environment (KUBECONFIG, NODE_NAME, NAMESPACE, POD_NAME, POD_NAMESPACE) of the Go program of that name.',
  options: { ...standardOptions, ...provisionerOptions },
  examples: [
    {
      text: 'Against a cluster of kubectl',
      command: 'holdfast csi-provisioner --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig',
    },
  ],
  check: (config) => [...checkStandardConfig(config), ...checkProvisionerConfig(config)],
})

/** The external provisioner as a process of its own. It runs whatever the driver can do: claims are told what the driver lacks. */
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
