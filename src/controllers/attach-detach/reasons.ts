import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

const node = (name: string) => ({ waitsFor: objectAwaited(NODES, { name }) })
const attachment = (name: string) => ({ waitsFor: objectAwaited(VOLUME_ATTACHMENTS, { name }) })
const attacher = (driver: string) => ({ waitsFor: { kind: 'actor', name: `the attacher of ${driver}` } as const })

/** Why a volume is currently not attached, or not detached. */
export const REASONS = {
  notWanted: reason('NotWanted', 'no pod on the node uses the volume'),
  attached: reason('Attached', 'the volume is attached'),
  nodeMissing: (name: string) => reason('NodeMissing', `node ${quoteGo(name)} not found`, node(name)),
  nodeNotManaged: (name: string) =>
    reason('NodeNotManaged', `node ${quoteGo(name)} is not managed by the attach/detach controller`, {
      ...node(name),
      cure: 'Check that the node agent sets the annotation volumes.kubernetes.io/controller-managed-attach-detach.',
    }),
  attachmentUnseen: (name: string) =>
    reason('AttachmentUnseen', `waiting for VolumeAttachment ${quoteGo(name)} to be created`, attachment(name)),
  awaitingAttacher: (driver: string, name: string) =>
    reason('AwaitingAttacher', `waiting for external-attacher of ${driver} CSI driver to attach the volume`, {
      ...attacher(driver),
      detail: { attachment: name },
      cure: 'Check that the attacher of the driver is running.',
    }),
  attachFailed: (driver: string, detail: { readonly attachment: string; readonly error: string }) =>
    reason('AttachFailed', `AttachVolume.Attach failed: ${detail.error}`, { ...attacher(driver), detail }),
  leaving: (name: string) => reason('DetachUnderWay', 'volume attachment is being deleted', attachment(name)),
  volumeLeaving: (name: string) =>
    reason('VolumeLeaving', `PersistentVolume ${quoteGo(name)} is marked for deletion`, {
      waitsFor: objectAwaited(PERSISTENT_VOLUMES, { name }),
      cure: 'Use another volume.',
    }),
  attachedElsewhere: (name: string, nodeName: string, volume: string) =>
    reason('AttachedElsewhere', `Multi-Attach error for volume ${quoteGo(volume)} ${EXCLUSIVE}`, {
      ...attachment(name),
      detail: { node: nodeName },
      cure: `Wait until the pods that use it on node ${nodeName} are gone, or delete them.`,
    }),
  otherNamespace: (volume: string) =>
    reason('VolumeOfOtherNamespace', `volume ${quoteGo(volume)} is in use by a pod of another namespace on this node`, {
      cure: 'Use a volume that no pod of another namespace uses.',
    }),

  inUse: (name: string, detail: { readonly volume: string; readonly nodeIsHealthy: string }) =>
    reason('VolumeInUse', 'cannot detach volume because it is still mounted', { ...node(name), detail }),
  statusUnsure: (name: string) =>
    reason('NodeStatusBeingWritten', `the status of node ${quoteGo(name)} is being written`, node(name)),
  reported: (name: string) =>
    reason('StillReportedAttached', `node ${quoteGo(name)} still lists the volume in volumesAttached`, node(name)),
  detaching: (driver: string, detail: { readonly error?: string } = {}) =>
    reason('Detaching', `waiting for external-attacher of ${driver} CSI driver to detach the volume`, {
      ...attacher(driver),
      detail,
    }),

  statusCurrent: reason('NodeStatusCurrent', 'the status of the node is up to date'),
  gathering: reason('GatheringVolumes', 'waiting for further volumes of the node, to write its status once'),
}

export type AttachDetachReason = ReasonIn<typeof REASONS>

const EXCLUSIVE = "Volume is already exclusively attached to one node and can't be attached to another"

/** The event of a pod whose volume is on another node. Pods of other namespaces are only counted. */
export function multiAttachText(volume: string, { metadata: { namespace } }: Pod, otherPods: readonly Pod[]): string {
  const near = otherPods.filter(({ metadata }) => metadata.namespace === namespace)
  const far = otherPods.length - near.length
  const users = [
    ...(near.length > 0 ? [`pod(s) ${near.map(({ metadata }) => metadata.name ?? '').join(', ')}`] : []),
    ...(far > 0 ? [`${far} pod(s) in different namespaces`] : []),
  ]
  const why = users.length === 0 ? EXCLUSIVE : `Volume is already used by ${users.join(' and ')}`
  return `Multi-Attach error for volume ${quoteGo(volume)} ${why}`
}

/** The event of a pod whose volume could not be attached. */
export const attachFailedText = (volume: string, why: string): string =>
  `AttachVolume.Attach failed for volume ${quoteGo(volume)} : ${why}`

/** The event of a pod whose volume is attached. */
export const attachedText = (volume: string): string => `AttachVolume.Attach succeeded for volume ${quoteGo(volume)} `
