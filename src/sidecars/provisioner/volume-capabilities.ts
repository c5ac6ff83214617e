import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { findCsiAccessMode } from './access-modes.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'

export type CapabilityOptions = {
  readonly fsType: string
  readonly mountOptions: readonly string[]
  readonly singleNodeMultiWriter: boolean
}

/** One capability for each access mode of the claim, in its order. */
export function volumeCapabilities(
  claim: PersistentVolumeClaim,
  options: CapabilityOptions,
): Decision<VolumeCapability[]> {
  const { accessModes = [], volumeMode } = claim.spec
  const capabilities: VolumeCapability[] = []
  for (const accessMode of accessModes) {
    const mode = findCsiAccessMode(accessMode, options)
    if (mode === undefined) return refuse({ code: 'AccessModeUnknown', detail: { accessMode } })
    capabilities.push({ accessType: accessTypeOf(volumeMode === 'Block', options), accessMode: { mode } })
  }
  return ok(capabilities)
}

function accessTypeOf(isBlock: boolean, { fsType, mountOptions }: CapabilityOptions): VolumeCapability['accessType'] {
  return isBlock
    ? { $case: 'block', value: {} }
    : { $case: 'mount', value: { fsType, mountFlags: [...mountOptions], volumeMountGroup: '' } }
}
