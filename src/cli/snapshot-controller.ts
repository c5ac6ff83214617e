import { SNAPSHOT_GATES } from '../api/snapshot-gates.ts'
import { defineCommand, duration, featureGates } from '../base/options/index.ts'
import { snapshotDefinition, snapshotOptions } from '../controllers/index.ts'
import { checkStandardConfig, goProgramOptions } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import { controllerProcessOptions, runClusterControllers } from './run-cluster-controllers.ts'

const LEASE = 'snapshot-controller-leader'

const command = defineCommand({
  name: 'holdfast snapshot-controller',
  summary:
    'Runs the snapshot-controller: binds VolumeSnapshots and VolumeGroupSnapshots to their contents, for all drivers. Accepts the flags of the ' +
    'Go program of that name. The snapshots are taken by the csi-snapshotter of each driver.',
  options: {
    ...controllerProcessOptions,
    ...goProgramOptions,
    ...snapshotOptions,
    retryCrdIntervalMaxMs: duration('30s', 'Accepted for Go manifests: the controller waits for the snapshot CRDs.', {
      hidden: true,
    }),
    resyncPeriodMs: duration('15m', 'Accepted for Go manifests: every change is followed.', { hidden: true }),
    featureGates: featureGates(
      { ...SNAPSHOT_GATES, ReleaseLeaderElectionOnExit: { default: true, stage: 'beta' } },
      'Features to enable or disable. The lease is always released on exit.',
    ),
  },
  examples: [
    {
      text: 'Two replicas, of which one is active',
      command: 'holdfast snapshot-controller --leader-election --http-endpoint=:8080',
    },
  ],
  check: (config) => checkStandardConfig({ ...config, metricsAddress: '' }),
})

/** The snapshot-controller as a process of its own. */
export const snapshotControllerCommand = createCommandModule(command, (config, world) =>
  runClusterControllers(
    {
      program: 'snapshot-controller',
      lease: LEASE,
      leaseNamespace: 'default',
      config,
      definitions: [snapshotDefinition({ ...config, gates: config.featureGates })],
    },
    world,
  ),
)
