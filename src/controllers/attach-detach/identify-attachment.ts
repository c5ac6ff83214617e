import type { Node } from '../../api/kinds/node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { attachmentName, attachmentNameOf } from '../../storage/attachment-name.ts'
import { ATTACHED_HANDLE } from '../../storage/names.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'

/** The handle as the object itself has it. */
export const writtenHandle = ({ metadata, spec }: VolumeAttachment): string | undefined =>
  metadata.annotations?.[ATTACHED_HANDLE] ?? spec.source.inlineVolumeSpec?.csi?.volumeHandle

/**
 * What a node's status calls the volume of an attachment. The object's name is made of handle, driver and node, so it tells which of the
 * handles that come into question was meant, even when the volume is gone and only the node still speaks of it.
 */
export function identifyAttachment(
  attachment: VolumeAttachment,
  { volume, node }: { volume: PersistentVolume | undefined; node: Node | undefined },
): string | undefined {
  const {
    metadata: { name = '' },
    spec: { attacher: driver, nodeName },
  } = attachment
  const ofVolume = volume?.spec.csi?.driver === driver ? volume.spec.csi.volumeHandle : undefined
  const handles = [writtenHandle(attachment), ofVolume].filter((handle) => handle !== undefined)
  const handle = handles.find((each) => attachmentName({ driver, handle: each, nodeName }) === name) ?? handles[0]
  if (handle !== undefined) return uniqueVolumeName(driver, handle)
  const { volumesInUse = [], volumesAttached = [] } = node?.status ?? {}
  return [...volumesInUse, ...volumesAttached.map((each) => each.name)].find(
    (each) => attachmentNameOf(each, nodeName) === name,
  )
}
