import type { AccessMode, PersistentVolumeSpec } from '../api/kinds/persistent-volume.ts'
import { VolumeCapability_AccessMode_Mode as Mode } from '../csi/generated/csi/v1/csi.ts'
import type { VolumeCapability } from '../csi/generated/csi/v1/csi.ts'

/** What depends on the driver and on the configuration, not on the volume. */
export type CapabilityRules = {
  /** Whether the driver supports the newer single-node access modes. */
  readonly singleNodeMultiWriter: boolean
  /** For volumes without a file system type. */
  readonly defaultFstype: string
}

/** The VolumeCapability for the driver. Undefined if the access modes cannot be combined. */
export function volumeCapabilityOf(
  { accessModes = [], volumeMode, mountOptions = [], csi }: PersistentVolumeSpec,
  { singleNodeMultiWriter, defaultFstype }: CapabilityRules,
): VolumeCapability | undefined {
  const mode = accessModeOf(accessModes, singleNodeMultiWriter)
  if (mode === undefined) return undefined
  const mount = { fsType: csi?.fsType || defaultFstype, mountFlags: [...mountOptions], volumeMountGroup: '' }
  return {
    accessType: volumeMode === 'Block' ? { $case: 'block', value: {} } : { $case: 'mount', value: mount },
    accessMode: { mode },
  }
}

/** The single CSI access mode for those of a volume; undefined if they cannot be combined. */
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
