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
import { awaiting, awaitingActor, because, defineReasons, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { secretReason } from '../../storage/secret-reason.ts'
import type { SecretRef, UnreadableSecret } from '../../storage/secret-reason.ts'

const BINDER = awaitingActor('the volume binder')
const volume = (name: string) => awaiting(PERSISTENT_VOLUMES, { name })
const claim = (ref: ObjectRef) => awaiting(PERSISTENT_VOLUME_CLAIMS, ref)
const snapshot = (ref: ObjectRef) => awaiting(VOLUME_SNAPSHOTS, ref)
/** With the API server's message. */
const notFound = (type: ResourceType, ref: ObjectRef, resource = qualifiedResource(type)) =>
  because(`${resource} "${ref.name}" not found`, awaiting(type, ref))
const CHECK_SNAPSHOTTER = 'Check that the snapshot controller and the snapshotter of the driver are running.'
const CHECK_DRIVER_ON_NODE = 'Check that the driver is running on a node and has registered.'

/** Why a claim has no volume yet, why a volume is not deleted, and what capacity and sources are waiting for. Messages begin with upstream's text. */
export const REASONS = defineReasons({
  // The claim.
  ClaimGone: 'the claim has been deleted',
  ClaimLeaving: 'the claim is being deleted',
  ClaimHasVolume: (name: string) => `the claim already has volume ${name}`,
  ClaimNotMarked: because('the claim has not been assigned to a provisioner', BINDER),
  OtherProvisioner: (provisioner: string) =>
    because(`provisioner ${provisioner} is responsible`, { detail: { provisioner } }),
  MigrationNotSupported: (driver: string) =>
    because(`volumes of an in-tree plugin that migrated to ${driver} are not supported`, {
      cure: `Use a StorageClass with provisioner ${driver} and parameters of that driver.`,
    }),
  StorageClassUnknown: (name: string) => notFound(STORAGE_CLASSES, { name }, 'storageclass.storage.k8s.io'),
  ClassOfOtherProvisioner: (name: string, provisioner: string) => `StorageClass ${name} has provisioner ${provisioner}`,
  OtherNode: (node: string) => because(`node ${node} is responsible`, { detail: { node } }),
  NoNodeSelected: because('waiting for first consumer to be created before binding', {
    ...awaitingActor('the scheduler'),
    cure: 'Create a pod that uses the claim.',
  }),
  NoNodeSelectedForNode: (node: string) =>
    reason(
      'NoNodeSelected',
      `no node is selected, and the instance on ${node} only serves claims with a selected node`,
      { cure: 'Use a StorageClass with volumeBindingMode WaitForFirstConsumer.' },
    ),
  NodesContend: reason(
    'NoNodeSelected',
    'waiting for the provisioner of a node to take the claim',
    awaitingActor('the provisioners of the nodes'),
  ),
  TopologyNotAllowed: (node: string) => `node ${node} is not in the allowed topologies of the StorageClass`,
  NotEnoughRoom: (node: string, requested: bigint, available: bigint) =>
    because(
      `node ${node} has ${available} bytes available, and the claim requests ${requested} bytes`,
      awaitingActor('a node with more capacity'),
    ),
  SelectorNotSupported: because('claim Selector is not supported', {
    cure: 'Remove spec.selector, or bind an existing volume.',
  }),
  AccessModeUnknown: (mode: string) => `unknown access mode "${mode}"`,
  SizeInvalid: (storage: string, problem: string) => `invalid storage request "${storage}": ${problem}`,

  // Parameters and secrets of the class.
  ParameterUnknown: (key: string, prefix: string) =>
    because(`found unknown parameter key "${key}" with reserved namespace ${prefix}`, {
      cure: 'Correct or remove the key in the StorageClass.',
    }),
  FileSystemNamedTwice: (keys: readonly string[], kept: string) =>
    because(`fstype specified in parameters with several keys: ${keys.join(', ')}`, { cure: `Keep only ${kept}.` }),
  SecretNamedTwice: (purpose: string, keys: readonly string[]) =>
    because(`${purpose} secrets specified in parameters with several keys: ${keys.join(', ')}`, {
      cure: 'Keep one key for the name and one for the namespace.',
    }),
  SecretIncomplete: (purpose: string, key: string) =>
    because(`only ${key} is specified for ${purpose} secrets, both name and namespace must be`, {
      cure: 'Set both keys in the StorageClass.',
    }),
  SecretKeyEmpty: (purpose: string, key: string) =>
    because(`${key} for ${purpose} secrets is empty`, { cure: 'Set a value, or remove both keys.' }),
  SecretTemplateInvalid: (purpose: string, template: string, tokens: readonly string[]) =>
    because(`error resolving value "${template}" for ${purpose} secrets: invalid tokens: ${tokens.join(', ')}`, {
      cure: 'Use only supported tokens, and annotations that the claim has.',
    }),
  SecretNameInvalid: (purpose: string, ref: ObjectRef, problem: string) =>
    `${keyOfRef(ref)} is not a valid name for the ${purpose} secret: ${problem}`,
  Secret: (secret: UnreadableSecret, ref: SecretRef) => secretReason(secret, ref, 'provisioner'),
  AttributesClassNotFound: (name: string) =>
    notFound(VOLUME_ATTRIBUTES_CLASSES, { name }, 'volumeattributesclass.storage.k8s.io'),
  AttributesClassOfOtherDriver: (name: string, driver: string) =>
    `VolumeAttributesClass ${name} belongs to driver ${driver}`,

  // The source of a copy.
  CrossNamespaceSourceDisabled: (source: ObjectRef) =>
    because(`the data source ${keyOfRef(source)} is in another namespace`, {
      cure: 'Enable the feature gate CrossNamespaceVolumeDataSource.',
    }),
  SourceNotGranted: (kind: string, source: ObjectRef, own: string) =>
    because(`accessing ${keyOfRef(source)} of ${kind} dataSource from ${own} isn't allowed`, {
      cure: `Create a ReferenceGrant in ${source.namespace} for PersistentVolumeClaims of ${own}.`,
    }),
  SourceGroupUnknown: (expected: string, group: string) =>
    because(`the PVC source does not belong to the right APIGroup. Expected ${expected}, Got ${group}`, {
      cure: `Use apiGroup ${expected}.`,
    }),
  PopulatorExpected: (kind: string, source: string) =>
    because('Assuming an external populator will provision the volume', {
      ...awaitingActor(`a populator for ${kind}`),
      detail: { source },
    }),
  PopulatorUnregistered: (kind: string, source: string) =>
    because('The datasource for this PVC does not match any registered VolumePopulator', {
      ...awaitingActor(`a populator for ${kind}`),
      detail: { source },
      cure: `Install a populator for ${kind}, or create the VolumePopulator of the one that is installed.`,
    }),
  SnapshotNotFound: (ref: ObjectRef) => notFound(VOLUME_SNAPSHOTS, ref),
  SnapshotLeaving: (ref: ObjectRef) => `snapshot ${keyOfRef(ref)} is currently being deleted`,
  SnapshotNotBound: (ref: ObjectRef) =>
    because(`snapshot ${keyOfRef(ref)} not bound`, { ...snapshot(ref), cure: CHECK_SNAPSHOTTER }),
  SnapshotNotReady: (ref: ObjectRef) =>
    because(`snapshot ${keyOfRef(ref)} is not Ready`, { ...snapshot(ref), cure: CHECK_SNAPSHOTTER }),
  SnapshotContentNotFound: (name: string) => notFound(VOLUME_SNAPSHOT_CONTENTS, { name }),
  SnapshotContentOfOther: (name: string) => `snapshotcontent ${name} is bound to a different snapshot`,
  SnapshotHandleMissing: (name: string) =>
    because(`snapshotcontent ${name} has no snapshot handle`, awaiting(VOLUME_SNAPSHOT_CONTENTS, { name })),
  SnapshotOfOtherDriver: (driver: string) =>
    because(`the snapshot belongs to driver ${driver}`, { cure: `Use a StorageClass of ${driver}.` }),
  SourceClaimNotFound: (ref: ObjectRef) => notFound(PERSISTENT_VOLUME_CLAIMS, ref),
  SourceClaimLeaving: (ref: ObjectRef) => `the PVC DataSource ${keyOfRef(ref)} is currently being deleted`,
  SourceClaimNotBound: (ref: ObjectRef) =>
    because(`the PVC DataSource ${keyOfRef(ref)} must have a status of Bound`, claim(ref)),
  SourceClaimWithoutClass: (ref: ObjectRef) => `the source PVC (${keyOfRef(ref)}) storageclass cannot be empty`,
  SmallerThanSource: (requested: bigint, source: string) =>
    because(`requested volume size ${requested} is less than the size ${source} of the source`, {
      detail: { source },
      cure: `Ask for at least ${source}.`,
    }),
  VolumeModeDiffers: (source: string, wanted: string, cure: string) =>
    because(`requested volume has mode ${wanted} and modifies the mode ${source} of the source volume`, { cure }),
  SourceVolumeNotFound: (name: string) => notFound(PERSISTENT_VOLUMES, { name }),
  SourceVolumeNotCSI: (name: string) => `source volume ${name} is not a CSI volume`,
  SourceOfOtherDriver: (driver: string) =>
    because(`the source volume belongs to driver ${driver}`, { cure: `Use a StorageClass of ${driver}.` }),
  SourceVolumeOfOtherClaim: (name: string) => `source volume ${name} is not bound to the source claim`,
  SourceVolumeNotBound: (name: string) => because(`the status of source volume ${name} is not Bound`, volume(name)),

  // Topology.
  SelectedNodeGone: (node: string, kind: 'Node' | 'CSINode') =>
    because(`${kind === 'Node' ? 'nodes' : 'csinodes.storage.k8s.io'} "${node}" not found`, { detail: { node } }),
  NoTopologyKeysOnNode: (driver: string, node: string) =>
    reason('NoTopologyKeys', `no topology key found on CSINode ${node}`, {
      ...awaiting(CSI_NODES, { name: node }),
      detail: { driver, node },
      cure: CHECK_DRIVER_ON_NODE,
    }),
  NoTopologyKeys: (driver: string) =>
    because(`no topology key found on any CSINode for driver ${driver}`, {
      detail: { driver },
      cure: CHECK_DRIVER_ON_NODE,
    }),
  TopologyLabelMissing: (node: string, labels: readonly string[]) =>
    because(`node ${node} lacks the topology labels ${labels.join(', ')}`, awaiting(NODES, { name: node })),
  NoNodeWithTopology: (driver: string, labels: readonly string[]) =>
    because(`no available topology found: no node has the labels ${labels.join(', ')}`, {
      detail: { driver, labels: labels.join(' ') },
      cure: CHECK_DRIVER_ON_NODE,
    }),
  NodeNotInAllowedTopologies: (node: string) =>
    because(`selected node "${node}" is not in the allowed topologies`, {
      detail: { node },
      cure: 'Add the topology of the node to allowedTopologies of the StorageClass.',
    }),

  // The call and its result.
  DriverLacksCapability: (operation: string, capability: string) =>
    `CSI driver does not support ${operation}: ${capability} capability is not reported`,
  CallInFlight: (driver: string) =>
    because(`a call to driver ${driver} is in progress`, awaitingActor(`the driver ${driver}`)),
  CreateVolumeFailed: (code: string, message: string) => `rpc error: code = ${code} desc = ${message}`,
  RequestInfeasible: because('the driver rejected the request as invalid', {
    cure: 'Correct the StorageClass or the claim.',
  }),
  VolumeMissingInAnswer: 'CreateVolume returned no volume',
  VolumeIdMissingInAnswer: 'CreateVolume returned a volume without an ID',
  VolumeTooSmall: (capacity: bigint, requested: bigint) =>
    `created volume capacity ${capacity} less than requested capacity ${requested}`,
  ContentSourceIgnored: 'volume content source missing',
  ContentSourceDiffers: (asked: string, returned: string) =>
    `requested content source ${asked}, and the driver returned ${returned}`,
  TopologyNotRequested: (segments: Readonly<Record<string, string>>) =>
    `the driver returned topology ${JSON.stringify(segments)}, which was not requested`,
  JournalFull: because('the journal of calls in flight is full', awaitingActor('calls in flight to end')),
  VolumeNameTaken: (name: string) =>
    because(`PersistentVolume ${name} already exists and belongs to another claim or volume`, volume(name)),
  VolumeOfAnother: (name: string, handle: string) =>
    `the driver returned volume ${handle}, which belongs to PersistentVolume ${name}`,
  VolumeLeaving: (name: string) => because(`PersistentVolume ${name} is being deleted`, volume(name)),
  NotBoundYet: because('the volume is provisioned and not bound yet', BINDER),

  // Deletion.
  OtherDriver: (driver = 'none') => `the volume belongs to driver ${driver}`,
  VolumeRetained: (policy: string) => `the reclaim policy of the volume is ${policy}`,
  VolumeNotReleased: (phase: string) => because(`the phase of the volume is ${phase}`, BINDER),
  HeldByOthers: (finalizers: readonly string[]) =>
    `the volume is deleted, its object has finalizers: ${finalizers.join(', ')}`,
  VolumeNotCSI: 'the volume is not a CSI volume',
  VolumeStillAttached: (name: string, attachment: string, node: string) =>
    because(
      `persistentvolume ${name} is still attached to node ${node} by VolumeAttachment ${attachment}`,
      awaiting(VOLUME_ATTACHMENTS, { name: attachment }),
    ),

  // Sources of copies.
  SourceNotHeld: 'the source does not have our finalizer',
  SourceInUseBy: (ref: ObjectRef) =>
    reason('SourceInUse', `claim ${keyOfRef(ref)} is waiting for its copy`, claim(ref)),
  SourceInUse: because('a call that needs the source may be in progress', awaitingActor('the driver')),
  SourceUnused: 'the source is kept a little longer for the next copy',

  // Capacity.
  CapacityPublished: 'the capacity is published',
  CapacityTwice: 'another CSIStorageCapacity describes the same class and segment',
  CapacityObsolete: 'the class or the topology segment no longer exists',
  CapacityNotWanted: 'there is no such class or topology segment',
  CapacityUnknown: because('the capacity is not published yet', awaitingActor('the provisioner')),
})

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
