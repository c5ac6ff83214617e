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
  timeoutMs: duration('10s', 'Timeout of one call to the driver.'),
  workerThreads: count(100, 'Number of claims, and of volumes, processed at the same time.', { minimum: 1 }),
  retryIntervalStartMs: duration('1s', 'Delay after the first failure; it doubles with each further one.', {
    minimum: '1ms',
  }),
  retryIntervalMaxMs: duration('5m', 'Maximum delay after failures.', { minimum: '1ms' }),
  volumeNamePrefix: text('pvc', 'Prefix of volume names.'),
  volumeNameUuidLength: integer(
    -1,
    "Characters of the claim's uid in the name of its volume, without dashes; -1 for all, with dashes.",
    {
      minimum: -1,
      maximum: LONGEST_UUID,
    },
  ),
  defaultFstype: text('', 'File system of volumes whose StorageClass specifies none.'),
  extraCreateMetadata: flag(false, 'Pass the names of claim and volume to the driver.'),
  controllerPublishReadonly: flag(false, 'Attach volumes with only ReadOnlyMany as read-only.'),
  preventVolumeModeConversion: flag(
    true,
    'Refuse to restore a snapshot with another volume mode, unless its content allows it.',
  ),
  journal: choice(
    ['auto', 'required', 'off'],
    'auto',
    'Record each call in a Lease before it is made, so that a crash leaks no volume: where leases may be written, always, or never.',
  ),
  attacherFinalizer: flag(
    false,
    'Create volumes with the finalizer of the attacher, which saves a write at the first attach. Only use it where an attacher is running.',
  ),
  cloningProtectionThreads: count(1, 'Number of clone sources processed at the same time.', { minimum: 1 }),
  snapshotOrphanSweepIntervalMs: duration(
    '5m',
    'Interval between searches for snapshots that are no longer being restored; 0 disables them.',
  ),

  strictTopology: flag(false, "Request the selected node's topology and no other.", topology),
  immediateTopology: flag(true, 'Request a topology even when no node is selected.', topology),
  preferredTopology: choice(
    ['all', 'ordinal'],
    'all',
    'Claims without a selected node that get a preferred topology: all, or those named after a pod of a StatefulSet.',
    topology,
  ),
  topologyNodes: choice(
    ['registered', 'labelled'],
    'registered',
    'Nodes whose topology counts: those with the driver, or all that have its labels.',
    topology,
  ),

  enableCapacity: flag(false, 'Publish CSIStorageCapacity objects for the scheduler.', capacity),
  capacityThreads: count(1, 'Number of GetCapacity calls at the same time.', { minimum: 1, ...capacity }),
  capacityPollIntervalMs: duration('1m', 'Interval between GetCapacity calls for the same class and segment.', {
    minimum: '1ms',
    ...capacity,
  }),
  capacityOwnerrefLevel: integer(
    1,
    'Owner of the published objects: -1 none, 0 the pod, 1 its StatefulSet or DaemonSet, 2 its Deployment.',
    { minimum: -1, ...capacity },
  ),
  capacityForImmediateBinding: flag(false, 'Publish capacity also for classes with immediate binding.', capacity),
  kubeApiCapacityQps: decimal(0, 'Requests per second for published objects; 0 leaves the limit to the server.', {
    minimum: 0,
    ...capacity,
  }),
  kubeApiCapacityBurst: count(5, 'Burst of requests when --kube-api-capacity-qps is set.', capacity),

  nodeDeployment: flag(false, 'Provision only for the node on which this instance is running.', onNodes),
  nodeDeploymentImmediateBinding: flag(true, 'Also take claims without a selected node.', onNodes),
  nodeDeploymentBaseDelayMs: duration('20s', 'Minimum delay before an instance takes such a claim.', onNodes),
  nodeDeploymentMaxDelayMs: duration('60s', 'Maximum delay before an instance takes such a claim.', onNodes),

  featureGates: featureGates(
    {
      Topology: { default: true, stage: 'GA' },
      VolumeAttributesClass: { default: true, stage: 'GA' },
      CrossNamespaceVolumeDataSource: { default: false, stage: 'alpha' },
      ReleaseLeaderElectionOnExit: { default: false, stage: 'alpha' },
    },
    'Features to enable or disable.',
  ),

  master: text('', 'Address of the API server; overrides the kubeconfig.'),
  enablePprof: flag(false, 'Accepted for Go manifests.', accepted),
  logTextSplitStream: flag(false, 'Accepted for Go manifests.', accepted),
  logJsonSplitStream: flag(false, 'Accepted for Go manifests.', accepted),
  logTextInfoBufferSize: text('0', 'Accepted for Go manifests.', accepted),
  logJsonInfoBufferSize: text('0', 'Accepted for Go manifests.', accepted),
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

/** What is wrong with the options together, or with one in a way that its type does not check. */
export function checkProvisionerConfig(config: ProvisionerConfig): string[] {
  return [
    ...(config.volumeNamePrefix === '' ? ['--volume-name-prefix must not be empty'] : []),
    ...(config.volumeNameUuidLength === 0
      ? ['--volume-name-uuid-length has to leave something of the uid: -1, or 1 to 32']
      : []),
    ...(config.retryIntervalStartMs > config.retryIntervalMaxMs
      ? ['--retry-interval-start must not be longer than --retry-interval-max']
      : []),
    ...(config.nodeDeploymentBaseDelayMs > config.nodeDeploymentMaxDelayMs
      ? ['--node-deployment-base-delay must not be longer than --node-deployment-max-delay']
      : []),
  ]
}

/** What is known only at the start. */
export type SettingsParts = {
  /** Noted on volumes: which run of the provisioner created them. */
  readonly identity: string
  /** With `--node-deployment`. */
  readonly ownNode?: Omit<OwnNode, 'immediateBinding'> | undefined
  /** Whether the server has VolumeAttributesClasses; without them claims can't name one. */
  readonly servesAttributesClasses: boolean
}

/** What the decisions need of the configuration. */
export type ProvisionSettings = ReturnType<typeof provisionSettingsOf>

export const provisionSettingsOf = (
  config: ProvisionerConfig,
  { identity, ownNode, servesAttributesClasses }: SettingsParts,
) => ({
  naming: { prefix: config.volumeNamePrefix, uuidLength: config.volumeNameUuidLength },
  defaultFsType: config.defaultFstype,
  extraMetadata: config.extraCreateMetadata,
  publishReadonly: config.controllerPublishReadonly,
  preventModeConversion: config.preventVolumeModeConversion,
  useTopology: config.featureGates.Topology,
  topology: {
    strict: config.strictTopology,
    immediate: config.immediateTopology,
    preferredFor: config.preferredTopology,
  },
  useAttributesClasses: config.featureGates.VolumeAttributesClass && servesAttributesClasses,
  crossNamespaceSources: config.featureGates.CrossNamespaceVolumeDataSource,
  heldForAttacher: config.attacherFinalizer,
  identity,
  ...(ownNode ? { ownNode: { ...ownNode, immediateBinding: config.nodeDeploymentImmediateBinding } } : {}),
})

/** For `holdfast why`, which does not know the flags of the provisioner. */
export const DEFAULT_PROVISION_SETTINGS: ProvisionSettings = provisionSettingsOf(defaultsOf(provisionerOptions), {
  identity: '',
  servesAttributesClasses: true,
})
