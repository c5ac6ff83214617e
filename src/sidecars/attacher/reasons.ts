import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { secretReason } from '../../storage/secret-reason.ts'
import type { SecretRef, UnreadableSecret } from '../../storage/secret-reason.ts'
import type { Target } from './target.ts'

const volume = (name: string) => objectAwaited(PERSISTENT_VOLUMES, { name })
const notRegistered = (node: string, driver: string) => ({
  waitsFor: objectAwaited(CSI_NODES, { name: node }),
  detail: { driver, node },
})

const REMOVE_FINALIZER =
  'Or, once you have confirmed that the volume is detached, remove the finalizer of the attachment.'

/** Why an attachment, or our finalizer on a volume, is in its current state. */
export const REASONS = {
  attached: reason('Attached', 'the volume is attached'),
  released: reason('Released', 'the volume is detached', {
    cure: 'Wait until the owners of the remaining finalizers have removed them.',
  }),
  backingOff: (seconds: number) => reason('BackingOff', `the last attempt failed; retrying in ${seconds} s`),
  callInFlight: ({ volumeHandle, nodeId }: Target) =>
    reason('CallInFlight', `an operation on volume ${volumeHandle} and node ${nodeId} is already in progress`, {
      waitsFor: { kind: 'actor', name: 'the driver' },
    }),
  volumeReleasing: (name: string) =>
    reason('VolumeFinalizerLeaving', `the finalizer of PersistentVolume ${quoteGo(name)} is being removed`, {
      waitsFor: volume(name),
    }),

  sourceUnclear: (joined: 'both InlineCSIVolumeSource and' | 'neither InlineCSIVolumeSource nor') =>
    reason('SourceUnclear', `${joined} PersistentVolumeName specified in VA source`, {
      cure: 'Specify exactly one of them.',
    }),
  volumeMissing: (name: string) =>
    reason('VolumeMissing', `persistentvolume ${quoteGo(name)} not found`, { waitsFor: volume(name) }),
  volumeLeaving: (name: string) =>
    reason('VolumeLeaving', `PersistentVolume ${quoteGo(name)} is marked for deletion`, {
      detail: { volume: name },
      cure: 'Use another volume.',
    }),
  noCsiSource: reason('NoCSISource', 'pv spec contained non-csi source', {
    cure: 'Use a volume that belongs to a CSI driver.',
  }),
  otherDriver: (attacher: string, driver: string) =>
    reason('OtherDriver', `the attacher is ${attacher}, but the volume belongs to driver ${driver}`, {
      cure: 'Delete the attachment and create one with the driver of the volume as its attacher.',
    }),
  handleMissing: reason('VolumeHandleMissing', 'the CSI source has no volumeHandle', { cure: 'Set volumeHandle.' }),
  accessModesUnclear: (modes: readonly string[]) =>
    reason('AccessModesUnclear', `unsupported AccessMode combination: [${modes.join(' ')}]`, {
      cure: 'Set access modes that can be combined.',
    }),
  secretUnclear: reason('SecretUnclear', 'controllerPublishSecretRef needs both a namespace and a name', {
    cure: 'Set both.',
  }),

  driverNotRegistered: (node: string, driver: string) =>
    reason('DriverNotRegistered', `CSINode ${node} does not contain driver ${driver}`, {
      ...notRegistered(node, driver),
      cure: 'Check that the driver is running on the node and that its registrar reports no error.',
    }),
  nodeIdChanged: (attached: string, registered: string) =>
    reason('NodeIDChanged', `the volume is attached to node ID ${attached}, but the node now has ID ${registered}`, {
      cure: 'Delete the attachment, so that the volume is detached from the former node.',
    }),
  secret: (secret: UnreadableSecret, ref: SecretRef) =>
    secretReason(secret, ref, 'attacher', `failed to load secret "${ref.namespace}/${ref.name}"`),
  publishContextTooLarge: (bytes: number) =>
    reason('PublishContextTooLarge', `the driver returned a publish context of ${bytes} bytes`, {
      cure: 'The driver must return at most 256 KiB.',
    }),
  handleUnknown: (name: string) =>
    reason(
      'VolumeHandleUnknown',
      `persistentvolume ${quoteGo(name)} not found, and the attachment has no volume handle`,
      {
        waitsFor: volume(name),
        cure: `Create the PersistentVolume again. ${REMOVE_FINALIZER}`,
      },
    ),
  nodeIdUnknown: (node: string, driver: string) =>
    reason('NodeIDUnknown', `CSINode ${node} does not contain driver ${driver}, and the attachment has no node ID`, {
      ...notRegistered(node, driver),
      cure: `Register the driver on the node. ${REMOVE_FINALIZER}`,
    }),

  notHeld: reason('NotHeld', 'the volume does not have the finalizer of the attacher'),
  inUse: (name: string) =>
    reason('VolumeInUse', `VolumeAttachment ${quoteGo(name)} still names the volume`, {
      waitsFor: objectAwaited(VOLUME_ATTACHMENTS, { name }),
    }),
  keptForNextAttach: reason('KeptForNextAttach', 'the finalizer is kept for the next attach'),
  acknowledged: reason('Acknowledged', 'the driver does not need attaching'),
}

export type AttacherReason = ReasonIn<typeof REASONS>
