import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { keyOfRef } from '../../api/object-key.ts'
import type { ObjectRef } from '../../api/object.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { secretReason } from '../../storage/secret-reason.ts'
import type { SecretRef, UnreadableSecret } from '../../storage/secret-reason.ts'

const actor = (name: string) => ({ waitsFor: { kind: 'actor', name } }) as const
const BINDER = actor('the volume binder')
const object = (type: ResourceType, ref: ObjectRef) => ({ waitsFor: objectAwaited(type, ref) })
const volume = (name: string) => object(PERSISTENT_VOLUMES, { name })
const claim = (ref: ObjectRef) => object(PERSISTENT_VOLUME_CLAIMS, ref)
const snapshot = (ref: ObjectRef) => object(VOLUME_SNAPSHOTS, ref)
/** With the API server's message. */
const notFound = <const Code extends string>(
  code: Code,
  type: ResourceType,
  ref: ObjectRef,
  resource = qualifiedResource(type),
) => reason(code, `${resource} "${ref.name}" not found`, object(type, ref))
const CHECK_SNAPSHOTTER = 'Check that the snapshot controller and the snapshotter of the driver are running.'
const CHECK_DRIVER_ON_NODE = 'Check that the driver is running on a node and has registered.'

/** Why a claim has no volume yet, why a volume is not deleted, and what capacity and sources are waiting for. Messages begin with upstream's text. */
export const REASONS = {
  // The claim.
  claimGone: reason('ClaimGone', 'the claim has been deleted'),
  claimLeaving: reason('ClaimLeaving', 'the claim is being deleted'),
  claimHasVolume: (name: string) => reason('ClaimHasVolume', `the claim already has volume ${name}`),
  claimNotMarked: reason('ClaimNotMarked', 'the claim has not been assigned to a provisioner', BINDER),
  otherProvisioner: (provisioner: string) =>
    reason('OtherProvisioner', `provisioner ${provisioner} is responsible`, { detail: { provisioner } }),
  migrationNotSupported: (driver: string) =>
    reason('MigrationNotSupported', `volumes of an in-tree plugin that migrated to ${driver} are not supported`, {
      cure: `Use a StorageClass with provisioner ${driver} and parameters of that driver.`,
    }),
  storageClassUnknown: (name: string) =>
    notFound('StorageClassUnknown', STORAGE_CLASSES, { name }, 'storageclass.storage.k8s.io'),
  classOfOtherProvisioner: (name: string, provisioner: string) =>
    reason('ClassOfOtherProvisioner', `StorageClass ${name} has provisioner ${provisioner}`),
  otherNode: (node: string) => reason('OtherNode', `node ${node} is responsible`, { detail: { node } }),
  noNodeSelected: reason('NoNodeSelected', 'waiting for first consumer to be created before binding', {
    ...actor('the scheduler'),
    cure: 'Create a pod that uses the claim.',
  }),
  noNodeSelectedForNode: (node: string) =>
    reason(
      'NoNodeSelected',
      `no node is selected, and the instance on ${node} only serves claims with a selected node`,
      { cure: 'Use a StorageClass with volumeBindingMode WaitForFirstConsumer.' },
    ),
  nodesContend: reason(
    'NoNodeSelected',
    'waiting for the provisioner of a node to take the claim',
    actor('the provisioners of the nodes'),
  ),
  topologyNotAllowed: (node: string) =>
    reason('TopologyNotAllowed', `node ${node} is not in the allowed topologies of the StorageClass`),
  notEnoughRoom: (node: string, requested: bigint, available: bigint) =>
    reason(
      'NotEnoughRoom',
      `node ${node} has ${available} bytes available, and the claim requests ${requested} bytes`,
      actor('a node with more capacity'),
    ),
  selectorNotSupported: reason('SelectorNotSupported', 'claim Selector is not supported', {
    cure: 'Remove spec.selector, or bind an existing volume.',
  }),
  accessModeUnknown: (mode: string) => reason('AccessModeUnknown', `unknown access mode "${mode}"`),
  sizeInvalid: (storage: string, problem: string) =>
    reason('SizeInvalid', `invalid storage request "${storage}": ${problem}`),

  // Parameters and secrets of the class.
  parameterUnknown: (key: string, prefix: string) =>
    reason('ParameterUnknown', `found unknown parameter key "${key}" with reserved namespace ${prefix}`, {
      cure: 'Correct or remove the key in the StorageClass.',
    }),
  fileSystemNamedTwice: (keys: readonly string[], kept: string) =>
    reason('FileSystemNamedTwice', `fstype specified in parameters with several keys: ${keys.join(', ')}`, {
      cure: `Keep only ${kept}.`,
    }),
  secretNamedTwice: (purpose: string, keys: readonly string[]) =>
    reason('SecretNamedTwice', `${purpose} secrets specified in parameters with several keys: ${keys.join(', ')}`, {
      cure: 'Keep one key for the name and one for the namespace.',
    }),
  secretIncomplete: (purpose: string, key: string) =>
    reason('SecretIncomplete', `only ${key} is specified for ${purpose} secrets, both name and namespace must be`, {
      cure: 'Set both keys in the StorageClass.',
    }),
  secretKeyEmpty: (purpose: string, key: string) =>
    reason('SecretKeyEmpty', `${key} for ${purpose} secrets is empty`, { cure: 'Set a value, or remove both keys.' }),
  secretTemplateInvalid: (purpose: string, template: string, tokens: readonly string[]) =>
    reason(
      'SecretTemplateInvalid',
      `error resolving value "${template}" for ${purpose} secrets: invalid tokens: ${tokens.join(', ')}`,
      { cure: 'Use only supported tokens, and annotations that the claim has.' },
    ),
  secretNameInvalid: (purpose: string, ref: ObjectRef, problem: string) =>
    reason('SecretNameInvalid', `${keyOfRef(ref)} is not a valid name for the ${purpose} secret: ${problem}`),
  secret: (secret: UnreadableSecret, ref: SecretRef) => secretReason(secret, ref, 'provisioner'),
  attributesClassNotFound: (name: string) =>
    notFound('AttributesClassNotFound', VOLUME_ATTRIBUTES_CLASSES, { name }, 'volumeattributesclass.storage.k8s.io'),
  attributesClassOfOtherDriver: (name: string, driver: string) =>
    reason('AttributesClassOfOtherDriver', `VolumeAttributesClass ${name} belongs to driver ${driver}`),

  // The source of a copy.
  crossNamespaceDisabled: (source: ObjectRef) =>
    reason('CrossNamespaceSourceDisabled', `the data source ${keyOfRef(source)} is in another namespace`, {
      cure: 'Enable the feature gate CrossNamespaceVolumeDataSource.',
    }),
  sourceNotGranted: (kind: string, source: ObjectRef, own: string) =>
    reason('SourceNotGranted', `accessing ${keyOfRef(source)} of ${kind} dataSource from ${own} isn't allowed`, {
      cure: `Create a ReferenceGrant in ${source.namespace} for PersistentVolumeClaims of ${own}.`,
    }),
  sourceGroupUnknown: (expected: string, group: string) =>
    reason(
      'SourceGroupUnknown',
      `the PVC source does not belong to the right APIGroup. Expected ${expected}, Got ${group}`,
      { cure: `Use apiGroup ${expected}.` },
    ),
  populatorExpected: (kind: string, source: string) =>
    reason('PopulatorExpected', 'Assuming an external populator will provision the volume', {
      ...actor(`a populator for ${kind}`),
      detail: { source },
    }),
  populatorUnregistered: (kind: string, source: string) =>
    reason('PopulatorUnregistered', 'The datasource for this PVC does not match any registered VolumePopulator', {
      ...actor(`a populator for ${kind}`),
      detail: { source },
      cure: `Install a populator for ${kind}, or create the VolumePopulator of the one that is installed.`,
    }),
  snapshotNotFound: (ref: ObjectRef) => notFound('SnapshotNotFound', VOLUME_SNAPSHOTS, ref),
  snapshotLeaving: (ref: ObjectRef) =>
    reason('SnapshotLeaving', `snapshot ${keyOfRef(ref)} is currently being deleted`),
  snapshotNotBound: (ref: ObjectRef) =>
    reason('SnapshotNotBound', `snapshot ${keyOfRef(ref)} not bound`, { ...snapshot(ref), cure: CHECK_SNAPSHOTTER }),
  snapshotNotReady: (ref: ObjectRef) =>
    reason('SnapshotNotReady', `snapshot ${keyOfRef(ref)} is not Ready`, { ...snapshot(ref), cure: CHECK_SNAPSHOTTER }),
  snapshotContentNotFound: (name: string) => notFound('SnapshotContentNotFound', VOLUME_SNAPSHOT_CONTENTS, { name }),
  snapshotContentOfOther: (name: string) =>
    reason('SnapshotContentOfOther', `snapshotcontent ${name} is bound to a different snapshot`),
  snapshotHandleMissing: (name: string) =>
    reason(
      'SnapshotHandleMissing',
      `snapshotcontent ${name} has no snapshot handle`,
      object(VOLUME_SNAPSHOT_CONTENTS, { name }),
    ),
  snapshotOfOtherDriver: (driver: string) =>
    reason('SnapshotOfOtherDriver', `the snapshot belongs to driver ${driver}`, {
      cure: `Use a StorageClass of ${driver}.`,
    }),
  sourceClaimNotFound: (ref: ObjectRef) => notFound('SourceClaimNotFound', PERSISTENT_VOLUME_CLAIMS, ref),
  sourceClaimLeaving: (ref: ObjectRef) =>
    reason('SourceClaimLeaving', `the PVC DataSource ${keyOfRef(ref)} is currently being deleted`),
  sourceClaimNotBound: (ref: ObjectRef) =>
    reason('SourceClaimNotBound', `the PVC DataSource ${keyOfRef(ref)} must have a status of Bound`, claim(ref)),
  sourceClaimWithoutClass: (ref: ObjectRef) =>
    reason('SourceClaimWithoutClass', `the source PVC (${keyOfRef(ref)}) storageclass cannot be empty`),
  smallerThanSource: (requested: bigint, source: string) =>
    reason('SmallerThanSource', `requested volume size ${requested} is less than the size ${source} of the source`, {
      detail: { source },
      cure: `Ask for at least ${source}.`,
    }),
  volumeModeDiffers: (source: string, wanted: string, cure: string) =>
    reason(
      'VolumeModeDiffers',
      `requested volume has mode ${wanted} and modifies the mode ${source} of the source volume`,
      { cure },
    ),
  sourceVolumeNotFound: (name: string) => notFound('SourceVolumeNotFound', PERSISTENT_VOLUMES, { name }),
  sourceVolumeNotCsi: (name: string) => reason('SourceVolumeNotCSI', `source volume ${name} is not a CSI volume`),
  sourceOfOtherDriver: (driver: string) =>
    reason('SourceOfOtherDriver', `the source volume belongs to driver ${driver}`, {
      cure: `Use a StorageClass of ${driver}.`,
    }),
  sourceVolumeOfOtherClaim: (name: string) =>
    reason('SourceVolumeOfOtherClaim', `source volume ${name} is not bound to the source claim`),
  sourceVolumeNotBound: (name: string) =>
    reason('SourceVolumeNotBound', `the status of source volume ${name} is not Bound`, volume(name)),

  // Topology.
  selectedNodeGone: (node: string, kind: 'Node' | 'CSINode') =>
    reason('SelectedNodeGone', `${kind === 'Node' ? 'nodes' : 'csinodes.storage.k8s.io'} "${node}" not found`, {
      detail: { node },
    }),
  noTopologyKeysOnNode: (driver: string, node: string) =>
    reason('NoTopologyKeys', `no topology key found on CSINode ${node}`, {
      ...object(CSI_NODES, { name: node }),
      detail: { driver, node },
      cure: CHECK_DRIVER_ON_NODE,
    }),
  noTopologyKeys: (driver: string) =>
    reason('NoTopologyKeys', `no topology key found on any CSINode for driver ${driver}`, {
      detail: { driver },
      cure: CHECK_DRIVER_ON_NODE,
    }),
  topologyLabelMissing: (node: string, labels: readonly string[]) =>
    reason(
      'TopologyLabelMissing',
      `node ${node} lacks the topology labels ${labels.join(', ')}`,
      object(NODES, { name: node }),
    ),
  noNodeWithTopology: (driver: string, labels: readonly string[]) =>
    reason('NoNodeWithTopology', `no available topology found: no node has the labels ${labels.join(', ')}`, {
      detail: { driver, labels: labels.join(' ') },
      cure: CHECK_DRIVER_ON_NODE,
    }),
  nodeNotInAllowedTopologies: (node: string) =>
    reason('NodeNotInAllowedTopologies', `selected node "${node}" is not in the allowed topologies`, {
      detail: { node },
      cure: 'Add the topology of the node to allowedTopologies of the StorageClass.',
    }),

  // The call and its result.
  driverLacksCapability: (operation: string, capability: string) =>
    reason(
      'DriverLacksCapability',
      `CSI driver does not support ${operation}: ${capability} capability is not reported`,
    ),
  callInFlight: (driver: string) =>
    reason('CallInFlight', `a call to driver ${driver} is in progress`, actor(`the driver ${driver}`)),
  createVolumeFailed: (code: string, message: string) =>
    reason('CreateVolumeFailed', `rpc error: code = ${code} desc = ${message}`),
  requestInfeasible: reason('RequestInfeasible', 'the driver rejected the request as invalid', {
    cure: 'Correct the StorageClass or the claim.',
  }),
  volumeMissingInAnswer: reason('VolumeMissingInAnswer', 'CreateVolume returned no volume'),
  volumeIdMissingInAnswer: reason('VolumeIdMissingInAnswer', 'CreateVolume returned a volume without an ID'),
  volumeTooSmall: (capacity: bigint, requested: bigint) =>
    reason('VolumeTooSmall', `created volume capacity ${capacity} less than requested capacity ${requested}`),
  contentSourceIgnored: reason('ContentSourceIgnored', 'volume content source missing'),
  contentSourceDiffers: (asked: string, returned: string) =>
    reason('ContentSourceDiffers', `requested content source ${asked}, and the driver returned ${returned}`),
  topologyNotRequested: (segments: Readonly<Record<string, string>>) =>
    reason('TopologyNotRequested', `the driver returned topology ${JSON.stringify(segments)}, which was not requested`),
  journalFull: reason('JournalFull', 'the journal of calls in flight is full', actor('calls in flight to end')),
  volumeNameTaken: (name: string) =>
    reason(
      'VolumeNameTaken',
      `PersistentVolume ${name} already exists and belongs to another claim or volume`,
      volume(name),
    ),
  volumeOfAnother: (name: string, handle: string) =>
    reason('VolumeOfAnother', `the driver returned volume ${handle}, which belongs to PersistentVolume ${name}`),
  volumeLeaving: (name: string) => reason('VolumeLeaving', `PersistentVolume ${name} is being deleted`, volume(name)),
  notBoundYet: reason('NotBoundYet', 'the volume is provisioned and not bound yet', BINDER),

  // Deletion.
  otherDriver: (driver = 'none') => reason('OtherDriver', `the volume belongs to driver ${driver}`),
  volumeRetained: (policy: string) => reason('VolumeRetained', `the reclaim policy of the volume is ${policy}`),
  volumeNotReleased: (phase: string) => reason('VolumeNotReleased', `the phase of the volume is ${phase}`, BINDER),
  heldByOthers: (finalizers: readonly string[]) =>
    reason('HeldByOthers', `the volume is deleted, its object has finalizers: ${finalizers.join(', ')}`),
  volumeNotCsi: reason('VolumeNotCSI', 'the volume is not a CSI volume'),
  volumeStillAttached: (name: string, attachment: string, node: string) =>
    reason(
      'VolumeStillAttached',
      `persistentvolume ${name} is still attached to node ${node} by VolumeAttachment ${attachment}`,
      object(VOLUME_ATTACHMENTS, { name: attachment }),
    ),

  // Sources of copies.
  sourceNotHeld: reason('SourceNotHeld', 'the source does not have our finalizer'),
  sourceInUseBy: (ref: ObjectRef) =>
    reason('SourceInUse', `claim ${keyOfRef(ref)} is waiting for its copy`, claim(ref)),
  sourceInUse: reason('SourceInUse', 'a call that needs the source may be in progress', actor('the driver')),
  sourceUnused: reason('SourceUnused', 'the source is kept a little longer for the next copy'),

  // Capacity.
  capacityPublished: reason('CapacityPublished', 'the capacity is published'),
  capacityTwice: reason('CapacityTwice', 'another CSIStorageCapacity describes the same class and segment'),
  capacityObsolete: reason('CapacityObsolete', 'the class or the topology segment no longer exists'),
  capacityNotWanted: reason('CapacityNotWanted', 'there is no such class or topology segment'),
  capacityUnknown: reason('CapacityUnknown', 'the capacity is not published yet', actor('the provisioner')),
}

export type ProvisionerReason = ReasonIn<typeof REASONS>

/**
 * Why a volume can't be requested now.
 * - `refuse`: reported to the user and retried later, or when one of `wakeOn` is reported; nothing has reached the driver.
 * - `reschedule`: not possible on the selected node, so another one has to be selected.
 */
export type Obstacle =
  | { readonly kind: 'refuse'; readonly reason: ProvisionerReason; readonly wakeOn?: readonly string[] }
  | { readonly kind: 'reschedule'; readonly reason: ProvisionerReason }

/** A result, or what prevents it. */
export type Decision<T> = { readonly kind: 'ok'; readonly value: T } | Obstacle

/** Topics that bring back claims that were refused because of them. */
export const NODES_CHANGED = ['nodes changed']
export const GRANTS_CHANGED = ['reference grants changed']
export const POPULATORS_CHANGED = ['volume populators changed']

export const ok = <T>(value: T): Decision<T> => ({ kind: 'ok', value })
export const refuse = (reason: ProvisionerReason, wakeOn?: readonly string[]): Obstacle => ({
  kind: 'refuse',
  reason,
  ...(wakeOn && { wakeOn }),
})
export const reschedule = (reason: ProvisionerReason): Obstacle => ({ kind: 'reschedule', reason })
