import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import { VolumeCapability_AccessMode_Mode as CsiMode } from '../../csi/generated/csi/v1/csi.ts'

const MODES: Readonly<Record<AccessMode, CsiMode>> = {
  ReadWriteOnce: CsiMode.SINGLE_NODE_WRITER,
  ReadWriteOncePod: CsiMode.SINGLE_NODE_WRITER,
  ReadOnlyMany: CsiMode.MULTI_NODE_READER_ONLY,
  ReadWriteMany: CsiMode.MULTI_NODE_MULTI_WRITER,
}

// A driver that tells one writer on a node from several is told which of the two is meant.
const FINER_MODES: Readonly<Record<AccessMode, CsiMode>> = {
  ...MODES,
  ReadWriteOnce: CsiMode.SINGLE_NODE_MULTI_WRITER,
  ReadWriteOncePod: CsiMode.SINGLE_NODE_SINGLE_WRITER,
}

/** A claim's access mode in CSI's words; undefined for one that nobody knows. Each mode of a claim stands for itself. */
export function findCsiAccessMode(
  mode: string,
  { singleNodeMultiWriter }: { singleNodeMultiWriter: boolean },
): CsiMode | undefined {
  const modes: Readonly<Record<string, CsiMode>> = singleNodeMultiWriter ? FINER_MODES : MODES
  return Object.hasOwn(modes, mode) ? modes[mode] : undefined
}
