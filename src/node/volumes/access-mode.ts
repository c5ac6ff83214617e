import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import { VolumeCapability_AccessMode_Mode as Mode } from '../../csi/generated/csi/v1/csi.ts'

/** Only the first of a volume's modes counts here; a volume that has none is one of a pod's own. */
export function accessModeOf([first]: readonly AccessMode[], singleNodeMultiWriter: boolean): Mode {
  switch (first) {
    case 'ReadWriteMany':
      return Mode.MULTI_NODE_MULTI_WRITER
    case 'ReadOnlyMany':
      return Mode.MULTI_NODE_READER_ONLY
    case 'ReadWriteOncePod':
      return singleNodeMultiWriter ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER
    default:
      return singleNodeMultiWriter ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER
  }
}
