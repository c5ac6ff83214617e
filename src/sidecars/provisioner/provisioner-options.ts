import {
  choice,
  count,
  decimal,
  defaultsOf,
  duration,
  featureGates,
  flag,
  integer,
  text,
} from '../../base/options/index.ts'
import type { ConfigOf } from '../../base/options/index.ts'
import type { OwnNode } from './claim-eligibility.ts'

const topology = { section: 'topology' } as const
const capacity = { section: 'capacity' } as const
const onNodes = { section: 'one instance on each node' } as const
const accepted = { hidden: true } as const
const removed = { hidden: true, deprecated: 'it has no effect' } as const
const LONGEST_UUID = 32

/** The flags of the provisioner beyond the standard ones: names and defaults as upstream, and a few of ours. */
export const provisionerOptions = {
  timeoutMs: duration('10s', 'Timeout of each CSI call.'),
  workerThreads: count.optional(
    'Maximum number of claims, and of volumes, to process concurrently. Default: 100 calls to the driver, adapted to what it can take.',
    { minimum: 1 },
  ),
  retryIntervalStartMs: duration('1s', 'Initial retry delay. It doubles with each failure.', { minimum: '1ms' }),
  retryIntervalMaxMs: duration('5m', 'Maximum retry delay.', { minimum: '1ms' }),
  volumeNamePrefix: text('pvc', 'Prefix of the names of created volumes.'),
  volumeNameUuidLength: integer(
    -1,
    "Number of characters of the claim's UID in the volume name, without dashes. -1 uses the whole UID, with dashes.",
    { minimum: -1, maximum: LONGEST_UUID },
  ),
  defaultFstype: text('', 'Default filesystem type of volumes whose class specifies none.'),
  extraCreateMetadata: flag(false, 'Pass the names of the claim and the volume to the driver.'),
  controllerPublishReadonly: flag(false, 'Attach volumes with the access mode ReadOnlyMany as read-only.'),
  preventVolumeModeConversion: flag(
    true,
    'Prevent restoring a snapshot with a different volume mode, unless its content allows it.',
  ),
  journal: choice(
    ['auto', 'required', 'off'],
    'auto',
    'Record calls in flight in a Lease, so that a crash does not leak volumes. auto records them if writing leases is permitted.',
  ),
  attacherFinalizer: flag(
    false,
    'Create volumes with the finalizer of the attacher, which saves a write at the first attach. Use it only if an attacher is running.',
  ),
  cloningProtectionThreads: count(1, 'Number of clone sources to process concurrently.', { minimum: 1 }),
  snapshotOrphanSweepIntervalMs: duration(
    '5m',
    'Interval between searches for snapshot finalizers that are no longer needed. 0 disables them.',
  ),

  strictTopology: flag(false, 'Pass only the topology of the selected node to CreateVolume.', topology),
  immediateTopology: flag(true, 'Pass topology requirements to CreateVolume even if no node was selected.', topology),
  preferredTopology: choice(
    ['all', 'ordinal'],
    'all',
    'Claims without a selected node for which a preferred topology is chosen: all, or only those named after a pod of a StatefulSet.',
    topology,
  ),
  topologyNodes: choice(
    ['registered', 'labelled'],
    'registered',
    'Nodes whose topology is considered: those with the driver registered, or all nodes with its labels.',
    topology,
  ),

  enableCapacity: flag(
    false,
    'Publish the available capacity in CSIStorageCapacity objects, for the scheduler.',
    capacity,
  ),
  capacityThreads: count(1, 'Number of concurrent GetCapacity calls.', { minimum: 1, ...capacity }),
  capacityPollIntervalMs: duration('1m', 'Interval between GetCapacity calls for the same topology and class.', {
    minimum: '1ms',
    ...capacity,
  }),
  capacityOwnerrefLevel: integer(
    1,
    'Owner of the CSIStorageCapacity objects: -1 none, 0 the pod, 1 its StatefulSet or DaemonSet, 2 its Deployment.',
    { minimum: -1, ...capacity },
  ),
  capacityForImmediateBinding: flag(false, 'Also publish the capacity of classes with immediate binding.', capacity),
  kubeApiCapacityQps: decimal(
    0,
    'Maximum requests per second for CSIStorageCapacity objects. 0 means no client-side limit.',
    { minimum: 0, ...capacity },
  ),
  kubeApiCapacityBurst: count(5, 'Maximum burst of requests if --kube-api-capacity-qps is set.', capacity),

  nodeDeployment: flag(false, 'Provision volumes only for the node of this instance.', onNodes),
  nodeDeploymentImmediateBinding: flag(true, 'Also provision claims without a selected node.', onNodes),
  nodeDeploymentBaseDelayMs: duration('20s', 'Minimum delay before an instance provisions such a claim.', onNodes),
  nodeDeploymentMaxDelayMs: duration('60s', 'Maximum delay before an instance provisions such a claim.', onNodes),

  featureGates: featureGates(
    {
      Topology: { default: true, stage: 'GA' },
      VolumeAttributesClass: { default: true, stage: 'GA' },
      CrossNamespaceVolumeDataSource: { default: false, stage: 'alpha' },
      ReleaseLeaderElectionOnExit: { default: false, stage: 'alpha' },
    },
    'Features to enable or disable.',
  ),

  master: text('', 'Address of the API server. Overrides the address in the kubeconfig.'),
  enablePprof: flag(false, 'Accepted for Go manifests.', accepted),
  logtostderr: flag(true, 'Accepted for old manifests.', removed),
  alsologtostderr: flag(false, 'Accepted for old manifests.', removed),
  addDirHeader: flag(false, 'Accepted for old manifests.', { flag: 'add_dir_header', ...removed }),
  oneOutput: flag(false, 'Accepted for old manifests.', { flag: 'one_output', ...removed }),
  skipHeaders: flag(false, 'Accepted for old manifests.', { flag: 'skip_headers', ...removed }),
  skipLogHeaders: flag(false, 'Accepted for old manifests.', { flag: 'skip_log_headers', ...removed }),
  stderrthreshold: text('', 'Accepted for old manifests.', removed),
  logBacktraceAt: text('', 'Accepted for old manifests.', { flag: 'log_backtrace_at', ...removed }),
  logDir: text('', 'Accepted for old manifests.', { flag: 'log_dir', ...removed }),
  logFile: text('', 'Accepted for old manifests.', { flag: 'log_file', ...removed }),
  logFileMaxSize: text('', 'Accepted for old manifests.', { flag: 'log_file_max_size', ...removed }),
}

export type ProvisionerConfig = ConfigOf<typeof provisionerOptions>

/** Conflicts between the options, and problems that the type of an option does not check. */
export function checkProvisionerConfig(config: ProvisionerConfig): string[] {
  const problems = [
    config.volumeNamePrefix === '' && '--volume-name-prefix must not be empty',
    config.volumeNameUuidLength === 0 && '--volume-name-uuid-length has to leave something of the uid: -1, or 1 to 32',
    config.retryIntervalStartMs > config.retryIntervalMaxMs &&
      '--retry-interval-start must not be longer than --retry-interval-max',
    config.nodeDeploymentBaseDelayMs > config.nodeDeploymentMaxDelayMs &&
      '--node-deployment-base-delay must not be longer than --node-deployment-max-delay',
  ]
  return problems.filter((problem) => problem !== false)
}

/** The input of decisions besides the objects: the flags, and values that are known only at the start. */
export type ProvisionSettings = ProvisionerConfig & {
  /** Recorded on volumes: which run of the provisioner created them. */
  readonly identity: string
  /** With `--node-deployment`. */
  readonly ownNode?: OwnNode | undefined
  /** Whether the server has VolumeAttributesClasses, and the gate is enabled; without them claims cannot name one. */
  readonly useAttributesClasses: boolean
}

/** For `holdfast why`, which does not know the flags of the provisioner. */
export const DEFAULT_PROVISION_SETTINGS: ProvisionSettings = {
  ...defaultsOf(provisionerOptions),
  identity: '',
  useAttributesClasses: true,
}
