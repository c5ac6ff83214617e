import { defineCommand, text } from '../base/options/index.ts'
import { resizerOptions } from '../sidecars/resizer/index.ts'
import { resizerRole } from '../sidecars/resizer-role.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { runRoles } from './run-roles.ts'

const command = defineCommand({
  name: 'holdfast csi-resizer',
  summary:
    'Runs the external resizer: expands volumes when claims request more storage, and modifies them when claims request another ' +
    'VolumeAttributesClass. Accepts the flags of the Go program of that name.',
  options: {
    ...standardOptions,
    master: text('', 'Address of the API server. Overrides the address in the kubeconfig.'),
    ...resizerOptions,
  },
  examples: [
    {
      text: 'Against a cluster of kubectl',
      command: 'holdfast csi-resizer --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig',
    },
  ],
  check: (config) => checkStandardConfig(config),
})

/** The external resizer as a process of its own. */
export const csiResizerCommand = createCommandModule(command, (config, world) =>
  runRoles(
    { program: 'csi-resizer', config, callTimeoutMs: config.timeoutMs, roles: () => [resizerRole(config)] },
    world,
  ),
)
