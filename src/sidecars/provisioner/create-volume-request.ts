import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { QuantityError, quantityToBytes } from '../../api/quantity.ts'
import { VolumeCapability_AccessMode_Mode as CsiMode } from '../../csi/generated/csi/v1/csi.ts'
import type {
  CreateVolumeRequest,
  TopologyRequirement,
  VolumeCapability,
  VolumeContentSource,
} from '../../csi/generated/csi/v1/csi.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'
import { RESERVED_PREFIX } from './names.ts'
import { REASONS } from './reasons.ts'
import { RESERVED_SECRET_KEYS } from './resolve-secret-ref.ts'

type Parameters = Readonly<Record<string, string>>

export type RequestParts = {
  readonly volumeName: string
  readonly claim: PersistentVolumeClaim
  readonly class: StorageClass
  readonly fsType: string
  readonly requestedBytes: bigint
  readonly singleNodeMultiWriter: boolean
  /** Whether to tell the driver the names of claim and volume. */
  readonly extraMetadata: boolean
  /** Values, as text. */
  readonly secrets?: Parameters | undefined
  readonly contentSource?: VolumeContentSource | undefined
  readonly topology?: TopologyRequirement | undefined
  /** Of the VolumeAttributesClass. */
  readonly mutableParameters?: Parameters | undefined
}

/** The request for a claim's volume. The same parts give the same request, byte for byte. Contains secret values: never log it as it is. */
export function createVolumeRequest(parts: RequestParts): Decision<CreateVolumeRequest> {
  const { volumeName, claim, class: storageClass, fsType, requestedBytes: requiredBytes, singleNodeMultiWriter } = parts
  const mountOptions = storageClass.mountOptions ?? []
  const capabilities = volumeCapabilities(claim, { fsType, mountOptions, singleNodeMultiWriter })
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

export type CapabilityOptions = {
  readonly fsType: string
  readonly mountOptions: readonly string[]
  readonly singleNodeMultiWriter: boolean
}

/** One capability for each access mode of the claim, in its order. */
export function volumeCapabilities(
  { spec: { accessModes = [], volumeMode } }: PersistentVolumeClaim,
  options: CapabilityOptions,
): Decision<VolumeCapability[]> {
  const { fsType, mountOptions } = options
  const capabilities: VolumeCapability[] = []
  for (const accessMode of accessModes) {
    const mode = findCsiAccessMode(accessMode, options)
    if (mode === undefined) return refuse(REASONS.accessModeUnknown(accessMode))
    const accessType: VolumeCapability['accessType'] =
      volumeMode === 'Block'
        ? { $case: 'block', value: {} }
        : { $case: 'mount', value: { fsType, mountFlags: [...mountOptions], volumeMountGroup: '' } }
    capabilities.push({ accessType, accessMode: { mode } })
  }
  return ok(capabilities)
}

const MODES: Readonly<Record<AccessMode, CsiMode>> = {
  ReadWriteOnce: CsiMode.SINGLE_NODE_WRITER,
  ReadWriteOncePod: CsiMode.SINGLE_NODE_WRITER,
  ReadOnlyMany: CsiMode.MULTI_NODE_READER_ONLY,
  ReadWriteMany: CsiMode.MULTI_NODE_MULTI_WRITER,
}

// For a driver that distinguishes one writer on a node from several.
const FINER_MODES: Readonly<Record<AccessMode, CsiMode>> = {
  ...MODES,
  ReadWriteOnce: CsiMode.SINGLE_NODE_MULTI_WRITER,
  ReadWriteOncePod: CsiMode.SINGLE_NODE_SINGLE_WRITER,
}

/** The CSI access mode for one access mode of a claim; undefined for an unknown one. */
export function findCsiAccessMode(
  mode: string,
  { singleNodeMultiWriter }: Pick<CapabilityOptions, 'singleNodeMultiWriter'>,
): CsiMode | undefined {
  const modes: Readonly<Record<string, CsiMode>> = singleNodeMultiWriter ? FINER_MODES : MODES
  return Object.hasOwn(modes, mode) ? modes[mode] : undefined
}

const FS_TYPE = `${RESERVED_PREFIX}fstype`
const OLD_FS_TYPE = 'fstype'
const KNOWN_KEYS: ReadonlySet<string> = new Set([FS_TYPE, ...RESERVED_SECRET_KEYS])

/**
 * The parameters of a class that the driver gets: all but the reserved ones. The old keys of secrets and file system are passed on, since
 * drivers have always seen them. An unknown reserved key is refused: it may be meant for a newer provisioner.
 */
export function driverParameters(parameters: Parameters): Decision<Parameters> {
  const keys = Object.keys(parameters)
  const unknown = keys.find((key) => key.startsWith(RESERVED_PREFIX) && !KNOWN_KEYS.has(key))
  if (unknown !== undefined) return refuse(REASONS.parameterUnknown(unknown, RESERVED_PREFIX))
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

/** The file system of a class; the default, which may be empty, where it names none or an empty one. */
export function fsTypeOf(parameters: Parameters, defaultFsType: string): Decision<string> {
  const keys = Object.keys(parameters).filter((key) => key === FS_TYPE || key.toLowerCase() === OLD_FS_TYPE)
  if (keys.length > 1) return refuse(REASONS.fileSystemNamedTwice(keys, FS_TYPE))
  const [key] = keys
  return ok((key === undefined ? '' : parameters[key]) || defaultFsType)
}

/** The size that a claim requests in whole bytes, rounded up; zero when it requests none. */
export function requestedBytes(claim: PersistentVolumeClaim): Decision<bigint> {
  const storage = claim.spec.resources?.requests?.['storage']
  if (storage === undefined) return ok(0n)
  try {
    return ok(quantityToBytes(storage))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return refuse(REASONS.sizeInvalid(storage, error.message))
  }
}
