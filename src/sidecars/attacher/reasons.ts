import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { awaiting, awaitingActor, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { secretReason } from '../../storage/secret-reason.ts'
import type { SecretRef, UnreadableSecret } from '../../storage/secret-reason.ts'
import type { Target } from '../attach-target.ts'

const awaitingVolume = (name: string) => awaiting(PERSISTENT_VOLUMES, { name })
const notRegistered = (node: string, driver: string) => ({
  ...awaiting(CSI_NODES, { name: node }),
  detail: { driver, node },
})

const REMOVE_FINALIZER =
  'Or, once you have confirmed that the volume is detached, remove the finalizer of the attachment.'

export const REASONS = defineReasons({
  Attached: 'the volume is attached',
  Released: because('the volume is detached', {
    cure: 'Wait until the owners of the remaining finalizers have removed them.',
  }),
  BackingOff: (seconds: number) => `the last attempt failed; retrying in ${seconds} s`,
  CallInFlight: ({ volumeHandle, nodeId }: Target) =>
    because(
      `an operation on volume ${volumeHandle} and node ${nodeId} is already in progress`,
      awaitingActor('the driver'),
    ),
  VolumeFinalizerLeaving: (name: string) =>
    because(`the finalizer of PersistentVolume ${quoteGo(name)} is being removed`, awaitingVolume(name)),

  SourceUnclear: (joined: 'both InlineCSIVolumeSource and' | 'neither InlineCSIVolumeSource nor') =>
    because(`${joined} PersistentVolumeName specified in VA source`, { cure: 'Specify exactly one of them.' }),
  VolumeMissing: (name: string) => because(`persistentvolume ${quoteGo(name)} not found`, awaitingVolume(name)),
  VolumeLeaving: (name: string) =>
    because(`PersistentVolume ${quoteGo(name)} is marked for deletion`, {
      detail: { volume: name },
      cure: 'Use another volume.',
    }),
  NoCSISource: because('pv spec contained non-csi source', { cure: 'Use a volume that belongs to a CSI driver.' }),
  OtherDriver: (attacher: string, driver: string) =>
    because(`the attacher is ${attacher}, but the volume belongs to driver ${driver}`, {
      cure: 'Delete the attachment and create one with the driver of the volume as its attacher.',
    }),
  VolumeHandleMissing: because('the CSI source has no volumeHandle', { cure: 'Set volumeHandle.' }),
  AccessModesUnclear: (modes: readonly string[]) =>
    because(`unsupported AccessMode combination: [${modes.join(' ')}]`, {
      cure: 'Set access modes that can be combined.',
    }),
  SecretUnclear: because('controllerPublishSecretRef needs both a namespace and a name', { cure: 'Set both.' }),

  DriverNotRegistered: (node: string, driver: string) =>
    because(`CSINode ${node} does not contain driver ${driver}`, {
      ...notRegistered(node, driver),
      cure: 'Check that the driver is running on the node and that its registrar reports no error.',
    }),
  NodeIDChanged: (attached: string, registered: string) =>
    because(`the volume is attached to node ID ${attached}, but the node now has ID ${registered}`, {
      cure: 'Delete the attachment, so that the volume is detached from the former node.',
    }),
  Secret: (secret: UnreadableSecret, ref: SecretRef) =>
    secretReason(secret, ref, 'attacher', `failed to load secret "${ref.namespace}/${ref.name}"`),
  PublishContextTooLarge: (bytes: number) =>
    because(`the driver returned a publish context of ${bytes} bytes`, {
      cure: 'The driver must return at most 256 KiB.',
    }),
  VolumeHandleUnknown: (name: string) =>
    because(`persistentvolume ${quoteGo(name)} not found, and the attachment has no volume handle`, {
      ...awaitingVolume(name),
      cure: `Create the PersistentVolume again. ${REMOVE_FINALIZER}`,
    }),
  NodeIDUnknown: (node: string, driver: string) =>
    because(`CSINode ${node} does not contain driver ${driver}, and the attachment has no node ID`, {
      ...notRegistered(node, driver),
      cure: `Register the driver on the node. ${REMOVE_FINALIZER}`,
    }),

  NotHeld: 'the volume does not have the finalizer of the attacher',
  VolumeInUse: (name: string) =>
    because(`VolumeAttachment ${quoteGo(name)} still names the volume`, awaiting(VOLUME_ATTACHMENTS, { name })),
  KeptForNextAttach: 'the finalizer is kept for the next attach',
  Acknowledged: 'the driver does not need attaching',
})

export type AttacherReason = ReasonIn<typeof REASONS>
