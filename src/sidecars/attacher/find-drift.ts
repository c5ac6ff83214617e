import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { resolveSource } from './resolve-source.ts'
import { savedTarget } from './target.ts'

/** Node ids by volume handle, as the driver lists them. */
export type Published = ReadonlyMap<string, ReadonlySet<string>>

export type DriftView = { readonly attachment: VolumeAttachment; readonly volume?: PersistentVolume; readonly registeredNodeId?: string }

/** True when driver and attachment say different things; false as well when it can't be told which node and volume are meant. */
export function hasDrifted({ attachment, volume, registeredNodeId }: DriftView, published: Published): boolean {
  const saved = savedTarget(attachment)
  const resolved = resolveSource(attachment, volume)
  const handle = saved.volumeHandle ?? ('source' in resolved ? resolved.source.csi.volumeHandle : undefined)
  const nodeId = saved.nodeId ?? registeredNodeId
  if (handle === undefined || nodeId === undefined) return false
  return (attachment.status?.attached ?? false) !== (published.get(handle)?.has(nodeId) ?? false)
}
