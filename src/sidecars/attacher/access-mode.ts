import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import { VolumeCapability_AccessMode_Mode as Mode } from '../../csi/generated/csi/v1/csi.ts'

/** The one access mode of CSI for those of a volume; undefined for modes that do not go together. */
export function accessModeOf(modes: readonly AccessMode[], singleNodeMultiWriter: boolean): Mode | undefined {
  const has = (mode: AccessMode): boolean => modes.includes(mode)
  if (has('ReadWriteOncePod')) {
    if (modes.some((mode) => mode !== 'ReadWriteOncePod')) return undefined
    return singleNodeMultiWriter ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER
  }
  if (has('ReadWriteMany')) return Mode.MULTI_NODE_MULTI_WRITER
  if (has('ReadOnlyMany')) return has('ReadWriteOnce') ? undefined : Mode.MULTI_NODE_READER_ONLY
  if (has('ReadWriteOnce')) return singleNodeMultiWriter ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER
  return undefined
}
