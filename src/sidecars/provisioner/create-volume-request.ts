import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import type { CreateVolumeRequest, TopologyRequirement, VolumeContentSource } from '../../csi/generated/csi/v1/csi.ts'
import { claimMetadata, driverParameters } from './class-parameters.ts'
import { ok } from './decision.ts'
import type { Decision } from './decision.ts'
import { volumeCapabilities } from './volume-capabilities.ts'

export type RequestParts = {
  readonly volumeName: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly fsType: string
  readonly requestedBytes: bigint
  readonly singleNodeMultiWriter: boolean
  /** Whether the driver is told for whom the volume is. */
  readonly extraMetadata: boolean
  /** Values, as text. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  readonly contentSource?: VolumeContentSource | undefined
  readonly topology?: TopologyRequirement | undefined
  /** Of the VolumeAttributesClass. */
  readonly mutableParameters?: Readonly<Record<string, string>> | undefined
}

/** Asks for a claim's volume. The same parts give the same request, byte for byte. It holds secret values: never to be logged as it is. */
export function createVolumeRequest(parts: RequestParts): Decision<CreateVolumeRequest> {
  const { volumeName, claim, class: storageClass, fsType, requestedBytes, singleNodeMultiWriter } = parts
  const capabilities = volumeCapabilities(claim, {
    fsType,
    mountOptions: storageClass.mountOptions ?? [],
    singleNodeMultiWriter,
  })
  if (capabilities.kind !== 'ok') return capabilities
  const parameters = driverParameters(storageClass.parameters ?? {})
  if (parameters.kind !== 'ok') return parameters
  return ok({
    name: volumeName,
    capacityRange: { requiredBytes: requestedBytes, limitBytes: 0n },
    volumeCapabilities: capabilities.value,
    parameters: { ...parameters.value, ...(parts.extraMetadata ? claimMetadata(claim, volumeName) : {}) },
    secrets: { ...parts.secrets },
    volumeContentSource: parts.contentSource,
    accessibilityRequirements: parts.topology,
    mutableParameters: { ...parts.mutableParameters },
  })
}
