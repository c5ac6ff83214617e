import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { parseNodeIds } from '../../storage/node-ids.ts'
import { driversOfNodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { UnreadableSecret } from '../../storage/secret-reason.ts'
import type { PublishRules } from './publish-request.ts'

export type Operation = 'attach' | 'detach'

/** All that is known about one attachment. */
export type AttachView = {
  readonly seen: {
    readonly attachment: VolumeAttachment
    /** The one that the attachment names. */
    readonly volume?: PersistentVolume | undefined
    /** The node's ID, as registered by the driver. */
    readonly registeredNodeId?: string | undefined
  }
  readonly held?: AttachHeld
}

export type AttachHeld = {
  readonly nowMs: number
  readonly rules: PublishRules
  /** The calls to the driver that other passes are making (`callTo`). */
  readonly busy: Pick<ReadonlySet<string>, 'has'>
  /** Our finalizer on the volume is being removed at this moment. */
  readonly isVolumeReleasing: boolean
  /** The driver's list of published volumes contradicts the attachment. */
  readonly hasDrifted: boolean
  /** Undefined until it was read in this pass. With `not-text`: the key whose value is not valid UTF-8. */
  readonly secret?: { readonly kind: 'read' } | UnreadableSecret | undefined
  readonly failure?: Failure | undefined
}

/** The last attempt, if it failed. It delays the next one only if that would be the same call. */
export type Failure = { readonly operation: Operation; readonly basis: string; readonly retryAtMs: number }

/** The objects that a view is made of. */
export type AttachSources = {
  attachment(name: string): VolumeAttachment | undefined
  volume(name: string): PersistentVolume | undefined
  nodeRecords(nodeName: string): NodeRecords
}

/** The objects that record the drivers of a node. The current one comes first. */
export type NodeRecords = {
  readonly csiNode?: CSINode | undefined
  readonly csiNodeInfo?: CSINodeInfo | undefined
  readonly node?: Node | undefined
}

/** Undefined: there is no such attachment. */
export function readAttachView(sources: AttachSources, name: string): Pick<AttachView, 'seen'> | undefined {
  const attachment = sources.attachment(name)
  if (!attachment) return undefined
  const { attacher, nodeName, source } = attachment.spec
  const volume = source.persistentVolumeName ? sources.volume(source.persistentVolumeName) : undefined
  return { seen: { attachment, volume, registeredNodeId: findNodeId(sources.nodeRecords(nodeName), attacher) } }
}

export const operationOf = ({ metadata }: Pick<VolumeAttachment, 'metadata'>): Operation =>
  metadata.deletionTimestamp === undefined ? 'attach' : 'detach'

/** The driver's ID of the node; undefined if the driver is not registered. */
export function findNodeId({ csiNode, csiNodeInfo, node }: NodeRecords, driver: string): string | undefined {
  return (
    csiNode?.spec.drivers?.find(({ name }) => name === driver)?.nodeID ||
    (driversOfNodeInfo(csiNodeInfo).find(({ name }) => name === driver)?.nodeID ??
      // Any client that may write the node may have written this: any other form is ignored.
      ((node && parseNodeIds(node)?.get(driver)) || undefined))
  )
}
