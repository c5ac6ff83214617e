import { choice, count, decimal, duration, featureGates, flag, integer, text } from '../../base/options/index.ts'
import type { ConfigOf } from '../../base/options/index.ts'
import type { OwnNode } from './claim-eligibility.ts'
import type { ProvisionSettings } from './provision-settings.ts'

const topology = { section: 'topology' } as const
const capacity = { section: 'capacity' } as const
const onNodes = { section: 'one instance on each node' } as const
const accepted = { hidden: true } as const
const removed = { hidden: true, deprecated: 'it has no effect' } as const
const LONGEST_UUID = 32

/** The flags that the provisioner has beyond the standard ones: names and defaults as in manifests for the upstream one, and a few of ours. */
export const provisionerOptions = {
  timeoutMs: duration('10s', 'Longest wait for one driver call.'),
  workerThreads: count(100, 'Claims worked on at the same time, and again so many volumes.', { minimum: 1 }),
  retryIntervalStartMs: duration('1s', 'Wait after the first failure; it doubles with each further one.', {
    minimum: '1ms',
  }),
  retryIntervalMaxMs: duration('5m', 'Longest wait after failures.', { minimum: '1ms' }),
  volumeNamePrefix: text('pvc', 'What the names of volumes begin with.'),
  volumeNameUuidLength: integer(
    -1,
    "Characters of the claim's uid in the name of its volume, without dashes; -1 for all, with dashes.",
    {
      minimum: -1,
      maximum: LONGEST_UUID,
    },
  ),
  defaultFstype: text('', 'File system of volumes whose class names none.'),
  extraCreateMetadata: flag(false, 'Tell the driver the names of claim and volume.'),
  controllerPublishReadonly: flag(false, 'Attach volumes that are only ever read as read-only.'),
  preventVolumeModeConversion: flag(
    true,
    'Refuse to restore a snapshot with another volume mode, unless its content allows it.',
  ),
  journal: choice(
    ['auto', 'required', 'off'],
    'auto',
    'Calls in flight are written into a Lease first, so that even a crash leaves no volume behind: where leases may be written, always, or never.',
  ),
  attacherFinalizer: flag(
    false,
    'Make volumes with the finalizer of the attacher: spares the first attach a write. Only where an attacher runs.',
  ),
  cloningProtectionThreads: count(1, 'Clone sources looked after at the same time.', { minimum: 1 }),
  snapshotOrphanSweepIntervalMs: duration(
    '5m',
    'Time between two searches for snapshots that nobody restores any more; 0 for none.',
  ),

  strictTopology: flag(false, "Ask for the selected node's place and no other.", topology),
  immediateTopology: flag(true, 'Say where volumes may be even when no node was selected.', topology),
  preferredTopology: choice(
    ['all', 'ordinal'],
    'all',
    'Claims without a selected node that get a preferred place: all, or those named after a pod of a StatefulSet.',
    topology,
  ),
  topologyNodes: choice(
    ['registered', 'labelled'],
    'registered',
    'Nodes whose places count: those with the driver, or all that have its labels.',
    topology,
  ),

  enableCapacity: flag(false, 'Publish how much room there is, for the scheduler.', capacity),
  capacityThreads: count(1, 'Questions about room asked at the same time.', { minimum: 1, ...capacity }),
  capacityPollIntervalMs: duration('1m', 'Time between two questions about the same room.', {
    minimum: '1ms',
    ...capacity,
  }),
  capacityOwnerrefLevel: integer(
    1,
    'Who owns the published objects: -1 nobody, 0 the pod, 1 its StatefulSet or DaemonSet, 2 its Deployment.',
    { minimum: -1, ...capacity },
  ),
  capacityForImmediateBinding: flag(false, 'Publish room for classes with immediate binding too.', capacity),
  kubeApiCapacityQps: decimal(
    0,
    'Requests a second for published objects; 0 leaves it to the server to say when it is too much.',
    { minimum: 0, ...capacity },
  ),
  kubeApiCapacityBurst: count(5, 'Requests that may go at once when --kube-api-capacity-qps is set.', capacity),

  nodeDeployment: flag(false, 'Provision only for the node that this instance runs on.', onNodes),
  nodeDeploymentImmediateBinding: flag(true, 'Take claims too that no node was selected for.', onNodes),
  nodeDeploymentBaseDelayMs: duration('20s', 'Shortest wait before an instance takes such a claim.', onNodes),
  nodeDeploymentMaxDelayMs: duration('60s', 'Longest wait before an instance takes such a claim.', onNodes),

  featureGates: featureGates(
    {
      Topology: { default: true, stage: 'GA' },
      VolumeAttributesClass: { default: true, stage: 'GA' },
      CrossNamespaceVolumeDataSource: { default: false, stage: 'alpha' },
      ReleaseLeaderElectionOnExit: { default: false, stage: 'alpha' },
    },
    'Features to switch on or off.',
  ),

  master: text('', 'Address of the API server, in place of the one that the kubeconfig names.'),
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

/** What is wrong between these options, or with one in a way that its kind does not know. */
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

/** What the decisions need of a configuration, and of where it runs. */
export type SettingsParts = {
  readonly identity: string
  /** With `--node-deployment`. */
  readonly ownNode?: Omit<OwnNode, 'immediateBinding'> | undefined
  /** Whether the server has VolumeAttributesClasses; without them claims can't name one. */
  readonly servesAttributesClasses: boolean
}

export function provisionSettingsOf(
  config: ProvisionerConfig,
  { identity, ownNode, servesAttributesClasses }: SettingsParts,
): ProvisionSettings {
  return {
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
  }
}
