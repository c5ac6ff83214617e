import { goCodeName } from '../../csi/codes.ts'
import type { CsiError } from '../../csi/csi-error.ts'
import { outcomeOf } from '../../csi/outcome-of.ts'
import type {
  CreateVolumeRequest,
  CreateVolumeResponse,
  Topology,
  VolumeContentSource,
} from '../../csi/generated/csi/v1/csi.ts'
import { REASONS } from './reasons.ts'
import type { ProvisionerReason } from './reasons.ts'

/** A volume that was created as it was requested. */
export type MadeVolume = {
  readonly id: string
  readonly capacityBytes: bigint
  readonly context: Readonly<Record<string, string>>
  readonly accessibleTopology: readonly Topology[]
}

/**
 * How a call of CreateVolume ended.
 * - `made`: the volume can be used. Warnings are about answers that are odd but harmless.
 * - `spoiled`: a volume was created that can't be used, and has to be deleted before the next try.
 * - `in-doubt`: a volume may exist or come into existence: the same request again, even if the claim is deleted.
 * - `failed`: nothing was created. When it is infeasible the same request will never succeed, so the next try may be much later.
 * - `reschedule`: the topology of the selected node has too little capacity, and nothing was created.
 */
export type CreateResult =
  | { readonly kind: 'made'; readonly volume: MadeVolume; readonly warnings: readonly ProvisionerReason[] }
  | { readonly kind: 'spoiled'; readonly volumeId: string; readonly reason: ProvisionerReason }
  | { readonly kind: 'in-doubt' | 'reschedule'; readonly reason: ProvisionerReason }
  | { readonly kind: 'failed'; readonly isInfeasible: boolean; readonly reason: ProvisionerReason }

/** Compares the created volume with the request. */
export function judgeAnswer(request: CreateVolumeRequest, { volume }: CreateVolumeResponse): CreateResult {
  // The driver created something but does not say what; only the same request can tell.
  if (!volume) return { kind: 'in-doubt', reason: REASONS.VolumeMissingInAnswer }
  const { volumeId, volumeContext, accessibleTopology, contentSource } = volume
  if (volumeId === '') return { kind: 'in-doubt', reason: REASONS.VolumeIdMissingInAnswer }
  const wanted = request.capacityRange?.requiredBytes ?? 0n
  // Zero means that the driver does not know.
  const capacityBytes = volume.capacityBytes === 0n ? wanted : volume.capacityBytes
  if (capacityBytes < wanted)
    return { kind: 'spoiled', volumeId, reason: REASONS.VolumeTooSmall(capacityBytes, wanted) }
  if (request.volumeContentSource && !contentSource?.type)
    return { kind: 'spoiled', volumeId, reason: REASONS.ContentSourceIgnored }
  return {
    kind: 'made',
    volume: { id: volumeId, capacityBytes, context: volumeContext, accessibleTopology },
    warnings: [
      ...sourceWarnings(request.volumeContentSource, contentSource),
      ...topologyWarnings(request, accessibleTopology),
    ],
  }
}

export function judgeError(
  { selectedNode, topology }: { readonly selectedNode: string; readonly topology: boolean },
  error: CsiError,
): CreateResult {
  const { code } = error
  const reason = REASONS.CreateVolumeFailed(code === undefined ? 'none' : goCodeName(code), error.detail)
  switch (outcomeOf('CreateVolume', error)) {
    case 'in-doubt':
    case 'done':
      return { kind: 'in-doubt', reason }
    case 'reschedule':
      // Another node only helps if one was selected and the driver has topology.
      return topology && selectedNode !== ''
        ? { kind: 'reschedule', reason }
        : { kind: 'failed', isInfeasible: false, reason }
    case 'failed':
    case 'later':
      return { kind: 'failed', isInfeasible: code === 'INVALID_ARGUMENT', reason }
  }
}

function sourceWarnings(
  asked: VolumeContentSource | undefined,
  given: VolumeContentSource | undefined,
): ProvisionerReason[] {
  const [requested, returned] = [formatSource(asked), formatSource(given)]
  return asked && requested !== returned ? [REASONS.ContentSourceDiffers(requested, returned)] : []
}

function formatSource(source: VolumeContentSource | undefined): string {
  if (!source?.type) return 'none'
  return source.type.$case === 'snapshot'
    ? `snapshot ${source.type.value.snapshotId}`
    : `volume ${source.type.value.volumeId}`
}

// A returned topology matches if nothing in it contradicts a requested one: drivers may know more or fewer keys than we do.
function topologyWarnings(request: CreateVolumeRequest, given: readonly Topology[]): ProvisionerReason[] {
  const { accessibilityRequirements } = request
  const requisite = accessibilityRequirements?.requisite ?? []
  if (requisite.length === 0 || given.length === 0) return []
  const fits = ({ segments }: Topology): boolean =>
    requisite.some((topology) =>
      Object.entries(topology.segments).every(
        ([key, value]) => !Object.hasOwn(segments, key) || segments[key] === value,
      ),
    )
  const outside = given.find((topology) => !fits(topology))
  return outside ? [REASONS.TopologyNotRequested(outside.segments)] : []
}
