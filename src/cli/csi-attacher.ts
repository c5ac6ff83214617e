import { defineCommand, featureGates } from '../base/options/index.ts'
import { attacherOptions } from '../sidecars/attacher/index.ts'
import { attacherRole } from '../sidecars/attacher-role.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { runRoles } from './run-roles.ts'

const command = defineCommand({
  name: 'holdfast csi-attacher',
  summary:
    'Runs the external attacher: calls ControllerPublishVolume and ControllerUnpublishVolume of a CSI driver for VolumeAttachments. Accepts the flags of the Go program of that name.',
  options: {
    ...standardOptions,
    ...attacherOptions,
    featureGates: featureGates(
      {
        ReleaseLeaderElectionOnExit: { default: true, stage: 'beta' },
        MutableCSINodeAllocatableCount: { default: true, stage: 'GA' },
      },
      'Features to enable or disable. The lease is always released on exit.',
    ),
  },
  examples: [
    {
      text: 'With the cluster of a kubeconfig',
      command: 'holdfast csi-attacher --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig',
    },
  ],
  check: (config) => checkStandardConfig(config),
})

/** The external attacher as a process of its own. */
export const csiAttacherCommand = createCommandModule(command, (config, world) =>
  runRoles(
    { program: 'csi-attacher', config, callTimeoutMs: config.timeoutMs, roles: () => [attacherRole(config)] },
    world,
  ),
)
