import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { awaiting, awaitingActor, because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

const node = (name: string) => awaiting(NODES, { name })
const attachment = (name: string) => awaiting(VOLUME_ATTACHMENTS, { name })
const attacher = (driver: string) => awaitingActor(`the attacher of ${driver}`)

export const REASONS = defineReasons({
  NotWanted: 'no pod on the node uses the volume',
  Attached: 'the volume is attached',
  NodeMissing: (name: string) => because(`node ${quoteGo(name)} not found`, node(name)),
  NodeNotManaged: (name: string) =>
    because(`node ${quoteGo(name)} is not managed by the attach/detach controller`, {
      ...node(name),
      cure: 'Check that the node agent sets the annotation volumes.kubernetes.io/controller-managed-attach-detach.',
    }),
  AttachmentUnseen: (name: string) =>
    because(`waiting for VolumeAttachment ${quoteGo(name)} to be created`, attachment(name)),
  AwaitingAttacher: (driver: string, name: string) =>
    because(`waiting for external-attacher of ${driver} CSI driver to attach the volume`, {
      ...attacher(driver),
      detail: { attachment: name },
      cure: 'Check that the attacher of the driver is running.',
    }),
  AttachFailed: (driver: string, detail: { readonly attachment: string; readonly error: string }) =>
    because(`AttachVolume.Attach failed: ${detail.error}`, { ...attacher(driver), detail }),
  DetachUnderWay: (name: string) => because('volume attachment is being deleted', attachment(name)),
  VolumeLeaving: (name: string) =>
    because(`PersistentVolume ${quoteGo(name)} is marked for deletion`, {
      ...awaiting(PERSISTENT_VOLUMES, { name }),
      cure: 'Use another volume.',
    }),
  AttachedElsewhere: (name: string, nodeName: string, volume: string) =>
    because(`Multi-Attach error for volume ${quoteGo(volume)} ${EXCLUSIVE}`, {
      ...attachment(name),
      detail: { node: nodeName },
      cure: `Wait until the pods that use it on node ${nodeName} are gone, or delete them.`,
    }),
  VolumeOfOtherNamespace: (volume: string) =>
    because(`volume ${quoteGo(volume)} is in use by a pod of another namespace on this node`, {
      cure: 'Use a volume that no pod of another namespace uses.',
    }),

  VolumeInUse: (name: string, detail: { readonly volume: string; readonly nodeIsHealthy: string }) =>
    because('cannot detach volume because it is still mounted', { ...node(name), detail }),
  NodeStatusBeingWritten: (name: string) => because(`the status of node ${quoteGo(name)} is being written`, node(name)),
  StillReportedAttached: (name: string) =>
    because(`node ${quoteGo(name)} still lists the volume in volumesAttached`, node(name)),
  Detaching: (driver: string, detail: { readonly error?: string } = {}) =>
    because(`waiting for external-attacher of ${driver} CSI driver to detach the volume`, {
      ...attacher(driver),
      detail,
    }),

  NodeStatusCurrent: 'the status of the node is up to date',
  GatheringVolumes: 'waiting for further volumes of the node, to write its status once',
})

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
