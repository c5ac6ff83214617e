import { SNAPSHOT_GATES } from '../api/snapshot-gates.ts'
import {
  count,
  duration,
  featureGates,
  flag,
  list,
  pickPrefixed,
  prefixOptions,
  text,
  UsageError,
} from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { attacherOptions } from '../sidecars/attacher/index.ts'
import type { AttacherConfig } from '../sidecars/attacher/index.ts'
import { healOptions } from '../sidecars/heal/index.ts'
import type { HealConfig } from '../sidecars/heal/index.ts'
import { healthMonitorOptions } from '../sidecars/health-monitor/index.ts'
import type { HealthMonitorConfig } from '../sidecars/health-monitor/index.ts'
import { checkProvisionerConfig, provisionerOptions } from '../sidecars/provisioner/index.ts'
import type { ProvisionerConfig } from '../sidecars/provisioner/index.ts'
import { resizerOptions } from '../sidecars/resizer/index.ts'
import type { ResizerConfig } from '../sidecars/resizer/index.ts'
import { snapshotterOptions } from '../sidecars/snapshotter/index.ts'
import type { SnapshotterConfig } from '../sidecars/snapshotter/index.ts'
import { sweepOptions } from '../sidecars/sweep/index.ts'
import type { SweepConfig } from '../sidecars/sweep/index.ts'
import { standardOptions } from '../sidecars/standard-options.ts'

export const CONTROLLERS = ['provisioner', 'attacher', 'resizer', 'snapshotter', 'health-monitor'] as const
/** These have to be named: they list all pods, and the sweep may be allowed to delete volumes. */
export const ALL_CONTROLLERS = [...CONTROLLERS, 'sweep', 'heal'] as const

// What concerns the process and not the role is not repeated under its prefix.
const { master, featureGates: _gates, ...ownProvisionerOptions } = provisionerOptions
const { featureGates: _resizerGates, ...ownResizerOptions } = resizerOptions

/** Flags that several roles have are shared, and may be given for one of them under its name: `--timeout`, `--attacher-timeout`. */
export const sidecarOptions = {
  ...standardOptions,
  master,
  controllers: list(
    CONTROLLERS,
    'Roles to run, if the driver has the capabilities that they need. sweep, which finds leaks, and heal, which does what holdfast heal asks for, are not among the default ones.',
    {
      choices: ALL_CONTROLLERS,
      repeated: false,
    },
  ),
  leaderElectionShared: flag(
    false,
    'Use one lease for all roles, instead of the leases of the Go sidecars. Do not run Go sidecars at the same time.',
    { section: 'leader election' },
  ),
  timeoutMs: duration.optional('Timeout of each CSI call, in all roles.'),
  workerThreads: count.optional('Number of objects to process concurrently, in each role.', { minimum: 1 }),
  retryIntervalStartMs: duration.optional('Initial retry delay, in all roles.', { minimum: '1ms' }),
  retryIntervalMaxMs: duration.optional('Maximum retry delay, in all roles.', { minimum: '1ms' }),
  defaultFstype: text.optional('Default filesystem type of volumes, in all roles.'),
  featureGates: featureGates(
    {
      Topology: { default: true, stage: 'GA' },
      VolumeAttributesClass: { default: true, stage: 'GA' },
      AnnotateFsResize: { default: true, stage: 'GA' },
      RecoverVolumeExpansionFailure: { default: true, stage: 'GA' },
      CrossNamespaceVolumeDataSource: { default: false, stage: 'alpha' },
      MutableCSINodeAllocatableCount: { default: true, stage: 'GA' },
      ...SNAPSHOT_GATES,
      ReleaseLeaderElectionOnExit: { default: true, stage: 'beta' },
    },
    'Features to enable or disable, in all roles. Leases are always released on exit.',
  ),
  ...prefixOptions(ownProvisionerOptions, 'provisioner', 'the provisioner'),
  ...prefixOptions(attacherOptions, 'attacher', 'the attacher'),
  ...prefixOptions(ownResizerOptions, 'resizer', 'the resizer'),
  ...prefixOptions(snapshotterOptions, 'snapshotter', 'the snapshotter'),
  ...prefixOptions(healthMonitorOptions, 'healthMonitor', 'the health monitor'),
  ...prefixOptions(sweepOptions, 'sweep', 'the sweep'),
  ...prefixOptions(healOptions, 'heal', 'heal'),
}

export type SidecarConfig = ConfigOf<typeof sidecarOptions>

/** The configuration of each role: its own flag counts before the shared one, and that before the role's default. */
export function roleConfigsOf(
  config: SidecarConfig,
  given: ReadonlySet<string>,
): {
  provisioner: ProvisionerConfig
  attacher: AttacherConfig
  resizer: ResizerConfig
  snapshotter: SnapshotterConfig
  healthMonitor: HealthMonitorConfig
  sweep: SweepConfig
  heal: HealConfig
} {
  const { master: address, featureGates: gates } = config
  const own = pickPrefixed({ config, given }, ownProvisionerOptions, 'provisioner')
  // Where the attacher runs beside it, volumes may be born with the finalizer that it would add.
  const attacherFinalizer = given.has('provisionerAttacherFinalizer')
    ? own.attacherFinalizer
    : config.controllers.includes('attacher')
  const provisioner = { ...own, attacherFinalizer, master: address, featureGates: gates }
  const problems = checkProvisionerConfig(provisioner)
  if (problems.length > 0) throw new UsageError(problems.map((problem) => problem.replaceAll('--', '--provisioner-')))
  const resizer = pickPrefixed({ config, given }, ownResizerOptions, 'resizer')
  // The Go resizer calls them workers; `--worker-threads` is for all roles.
  const workers = given.has('resizerWorkers') ? resizer.workers : (config.workerThreads ?? resizer.workers)
  return {
    provisioner,
    attacher: pickPrefixed({ config, given }, attacherOptions, 'attacher'),
    resizer: { ...resizer, workers, featureGates: gates },
    snapshotter: { ...pickPrefixed({ config, given }, snapshotterOptions, 'snapshotter'), gates },
    healthMonitor: pickPrefixed({ config, given }, healthMonitorOptions, 'healthMonitor'),
    sweep: pickPrefixed({ config, given }, sweepOptions, 'sweep'),
    heal: pickPrefixed({ config, given }, healOptions, 'heal'),
  }
}
