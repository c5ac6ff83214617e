import type { Reason } from '../../api/reason.ts'
import type {
  CreateVolumeRequest,
  CreateVolumeResponse,
  Topology,
  VolumeContentSource,
} from '../../csi/generated/csi/v1/csi.ts'

/** A volume that was made and is as it was asked for. */
export type MadeVolume = {
  readonly id: string
  readonly capacityBytes: bigint
  readonly context: Readonly<Record<string, string>>
  readonly accessibleTopology: readonly Topology[]
}

/**
 * - `made`: it can be used. Warnings tell of answers that are odd but harmless.
 * - `spoiled`: a volume was made that can't be used, and has to be deleted before the next try.
 * - `unreadable`: the driver made something and does not say what; only asking again can tell.
 */
export type CheckedResponse =
  | { readonly kind: 'made'; readonly volume: MadeVolume; readonly warnings: readonly Reason[] }
  | { readonly kind: 'spoiled'; readonly volumeId: string; readonly reason: Reason }
  | { readonly kind: 'unreadable'; readonly reason: Reason }

/** What the driver made, held against what it was asked for. */
export function checkResponse(request: CreateVolumeRequest, { volume }: CreateVolumeResponse): CheckedResponse {
  if (!volume) return { kind: 'unreadable', reason: { code: 'VolumeMissingInAnswer' } }
  const { volumeId, volumeContext, accessibleTopology, contentSource } = volume
  if (volumeId === '') return { kind: 'unreadable', reason: { code: 'VolumeIdMissingInAnswer' } }
  const wanted = request.capacityRange?.requiredBytes ?? 0n
  // Zero means that the driver does not know.
  const capacityBytes = volume.capacityBytes === 0n ? wanted : volume.capacityBytes
  if (capacityBytes < wanted) {
    const detail = { volumeId, capacityBytes: String(capacityBytes), requestedBytes: String(wanted) }
    return { kind: 'spoiled', volumeId, reason: { code: 'VolumeTooSmall', detail } }
  }
  if (request.volumeContentSource && !contentSource?.type)
    return { kind: 'spoiled', volumeId, reason: { code: 'ContentSourceIgnored', detail: { volumeId } } }
  const made = { id: volumeId, capacityBytes, context: volumeContext, accessibleTopology }
  return {
    kind: 'made',
    volume: made,
    warnings: [
      ...sourceWarnings(request.volumeContentSource, contentSource),
      ...topologyWarnings(request, accessibleTopology),
    ],
  }
}

function sourceWarnings(asked: VolumeContentSource | undefined, given: VolumeContentSource | undefined): Reason[] {
  const [askedFor, answered] = [formatSource(asked), formatSource(given)]
  return asked && askedFor !== answered ? [{ code: 'ContentSourceDiffers', detail: { asked: askedFor, answered } }] : []
}

function formatSource(source: VolumeContentSource | undefined): string {
  if (!source?.type) return 'none'
  return source.type.$case === 'snapshot'
    ? `snapshot ${source.type.value.snapshotId}`
    : `volume ${source.type.value.volumeId}`
}

// A place fits when nothing in it contradicts one that was asked for: drivers may know more or fewer keys than we.
function topologyWarnings({ accessibilityRequirements }: CreateVolumeRequest, given: readonly Topology[]): Reason[] {
  const requisite = accessibilityRequirements?.requisite ?? []
  if (requisite.length === 0 || given.length === 0) return []
  const fits = ({ segments }: Topology): boolean =>
    requisite.some((place) =>
      Object.entries(place.segments).every(([key, value]) => !Object.hasOwn(segments, key) || segments[key] === value),
    )
  const outside = given.find((place) => !fits(place))
  return outside ? [{ code: 'TopologyNotRequested', detail: { ...outside.segments } }] : []
}
