import { SNAPSHOT_GATES } from '../api/snapshot-gates.ts'
import { defineCommand, featureGates } from '../base/options/index.ts'
import { checkSnapshotterConfig, snapshotterOptions } from '../sidecars/snapshotter/index.ts'
import { snapshotterRole } from '../sidecars/snapshotter-role.ts'
import { checkStandardConfig, standardOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { runRoles } from './run-roles.ts'
import { placeSnapshotter } from './snapshotter-place.ts'

const command = defineCommand({
  name: 'holdfast csi-snapshotter',
  summary:
    'Runs the external snapshotter: takes and deletes snapshots and group snapshots of a CSI driver when their contents are created and deleted. Accepts the flags of ' +
    'the Go program of that name. Needs a snapshot-controller in the cluster.',
  options: {
    ...standardOptions,
    ...snapshotterOptions,
    featureGates: featureGates(
      { ...SNAPSHOT_GATES, ReleaseLeaderElectionOnExit: { default: true, stage: 'beta' } },
      'Features to enable or disable. The lease is always released on exit.',
    ),
  },
  examples: [
    {
      text: 'Against a cluster of kubectl',
      command: 'holdfast csi-snapshotter --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig',
    },
  ],
  check: (config) => [...checkStandardConfig(config), ...checkSnapshotterConfig(config)],
})

/** The external snapshotter as a process of its own. */
export const csiSnapshotterCommand = createCommandModule(command, (config, world) =>
  runRoles(
    {
      program: 'csi-snapshotter',
      config,
      callTimeoutMs: config.timeoutMs,
      roles: () => [snapshotterRole(placeSnapshotter({ ...config, gates: config.featureGates }, world))],
    },
    world,
  ),
)
