import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { QuantityError, quantityToBytes } from '../../api/quantity.ts'
import type {
  CreateVolumeRequest,
  TopologyRequirement,
  VolumeCapability,
  VolumeContentSource,
} from '../../csi/generated/csi/v1/csi.ts'
import { requestedSizeOf } from '../../storage/requested-size.ts'
import { volumeCapabilityOf } from '../../storage/volume-capability.ts'
import type { CapabilityRules } from '../../storage/volume-capability.ts'
import { RESERVED_PREFIX } from './names.ts'
import { ok, REASONS, refuse } from './reasons.ts'
import type { Decision } from './reasons.ts'
import { RESERVED_SECRET_KEYS } from './resolve-secret-ref.ts'

type Parameters = Readonly<Record<string, string>>

export type RequestParts = {
  readonly volumeName: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly fsType: string
  readonly requestedBytes: bigint
  readonly singleNodeMultiWriter: boolean
  /** Whether to pass the names of claim and volume to the driver. */
  readonly extraMetadata: boolean
  /** Values, as text. */
  readonly secrets?: Parameters | undefined
  readonly contentSource?: VolumeContentSource | undefined
  readonly topology?: TopologyRequirement | undefined
  /** Of the VolumeAttributesClass. */
  readonly mutableParameters?: Parameters | undefined
}

/** The request for a claim's volume. The same parts give the same request, byte for byte. Contains secret values: never log it unredacted. */
export function createVolumeRequest(parts: RequestParts): Decision<CreateVolumeRequest> {
  const { volumeName, claim, class: storageClass, requestedBytes: requiredBytes, singleNodeMultiWriter } = parts
  const rules = { defaultFstype: parts.fsType, singleNodeMultiWriter }
  const capabilities = volumeCapabilities(claim, storageClass.mountOptions ?? [], rules)
  if (capabilities.kind !== 'ok') return capabilities
  const parameters = driverParameters(storageClass.parameters ?? {})
  if (parameters.kind !== 'ok') return parameters
  return ok({
    name: volumeName,
    capacityRange: { requiredBytes, limitBytes: 0n },
    volumeCapabilities: capabilities.value,
    parameters: { ...parameters.value, ...(parts.extraMetadata ? claimMetadata(claim, volumeName) : {}) },
    secrets: { ...parts.secrets },
    volumeContentSource: parts.contentSource,
    accessibilityRequirements: parts.topology,
    mutableParameters: { ...parts.mutableParameters },
  })
}

/** One capability for each access mode of the claim, in its order. */
export function volumeCapabilities(
  { spec }: PersistentVolumeClaim,
  mountOptions: readonly string[],
  rules: CapabilityRules,
): Decision<VolumeCapability[]> {
  const capabilities: VolumeCapability[] = []
  for (const accessMode of spec.accessModes ?? []) {
    const capability = volumeCapabilityOf({ ...spec, accessModes: [accessMode], mountOptions }, rules)
    if (!capability) return refuse(REASONS.AccessModeUnknown(accessMode))
    capabilities.push(capability)
  }
  return ok(capabilities)
}

const FS_TYPE = `${RESERVED_PREFIX}fstype`
const OLD_FS_TYPE = 'fstype'
const KNOWN_KEYS: ReadonlySet<string> = new Set([FS_TYPE, ...RESERVED_SECRET_KEYS])

/**
 * The parameters of a class for the driver: all but the reserved ones. The old keys of secrets and file system are passed on, because drivers have
 * always received them. An unknown reserved key is rejected: it may be meant for a newer provisioner.
 */
export function driverParameters(parameters: Parameters): Decision<Parameters> {
  const keys = Object.keys(parameters)
  const unknown = keys.find((key) => key.startsWith(RESERVED_PREFIX) && !KNOWN_KEYS.has(key))
  if (unknown !== undefined) return refuse(REASONS.ParameterUnknown(unknown, RESERVED_PREFIX))
  return ok(Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(RESERVED_PREFIX))))
}

/** The extra parameters that tell a driver for which claim a volume is created. */
export const claimMetadata = (
  { metadata: { name = '', namespace = '' } }: PersistentVolumeClaim,
  volumeName: string,
): Parameters => ({
  [`${RESERVED_PREFIX}pvc/name`]: name,
  [`${RESERVED_PREFIX}pvc/namespace`]: namespace,
  [`${RESERVED_PREFIX}pv/name`]: volumeName,
})

/** The file system of a class; the default, which may be empty, if the class names none or an empty one. */
export function fsTypeOf(parameters: Parameters, defaultFsType: string): Decision<string> {
  const keys = Object.keys(parameters).filter((key) => key === FS_TYPE || key.toLowerCase() === OLD_FS_TYPE)
  if (keys.length > 1) return refuse(REASONS.FileSystemNamedTwice(keys, FS_TYPE))
  const [key] = keys
  return ok((key === undefined ? '' : parameters[key]) || defaultFsType)
}

/** The requested size of a claim in bytes, rounded up; zero if it requests none. */
export function requestedBytes(claim: PersistentVolumeClaim): Decision<bigint> {
  const storage = requestedSizeOf(claim)
  try {
    return ok(quantityToBytes(storage))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return refuse(REASONS.SizeInvalid(storage, error.message))
  }
}
