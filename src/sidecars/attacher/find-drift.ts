import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { resolveSource } from './resolve-source.ts'
import { savedTarget } from './target.ts'

/** Node ids by volume handle, as the driver lists them. */
export type Published = ReadonlyMap<string, ReadonlySet<string>>

export type DriftView = {
  readonly attachment: VolumeAttachment
  readonly volume?: PersistentVolume
  readonly registeredNodeId?: string
}

/** True when driver and attachment say different things; false as well when it can't be told which node and volume are meant. */
export function hasDrifted(view: DriftView, published: Published): boolean {
  const target = findTarget(view)
  return (
    target !== undefined &&
    (view.attachment.status?.attached ?? false) !== (published.get(target.handle)?.has(target.nodeId) ?? false)
  )
}

/** All that the driver could say about these attachments. */
export function targetsOf(views: Iterable<DriftView>): Published {
  const targets = new Map<string, Set<string>>()
  for (const view of views) {
    const target = findTarget(view)
    if (target) targets.set(target.handle, (targets.get(target.handle) ?? new Set()).add(target.nodeId))
  }
  return targets
}

function findTarget({
  attachment,
  volume,
  registeredNodeId,
}: DriftView): { handle: string; nodeId: string } | undefined {
  const saved = savedTarget(attachment)
  const resolved = resolveSource(attachment, volume)
  const handle = saved.volumeHandle ?? ('source' in resolved ? resolved.source.csi.volumeHandle : undefined)
  const nodeId = saved.nodeId ?? registeredNodeId
  return handle === undefined || nodeId === undefined ? undefined : { handle, nodeId }
}
