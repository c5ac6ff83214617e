import { CsiError } from '../csi-error.ts'
import type { CapacityRange } from '../generated/csi/v1/csi.ts'

export type CapacityRules = {
  /** Size if the request has none. */
  defaultBytes: bigint
  minimumBytes: bigint
  maximumBytes: bigint
}

/** The size of the volume to create, or OUT_OF_RANGE. */
export function chooseCapacity(
  range: CapacityRange | undefined,
  { defaultBytes, minimumBytes, maximumBytes }: CapacityRules,
): bigint {
  const required = range?.requiredBytes ?? 0n
  const limit = range?.limitBytes ?? 0n
  const wished = required > 0n ? required : limit > 0n && limit < defaultBytes ? limit : defaultBytes
  const size = wished < minimumBytes ? minimumBytes : wished
  if (size > maximumBytes)
    throw new CsiError('OUT_OF_RANGE', `requested size of ${size} bytes exceeds the maximum of ${maximumBytes} bytes`)
  if (limit > 0n && size > limit)
    throw new CsiError('OUT_OF_RANGE', `requested limit of ${limit} bytes is less than the minimum of ${size} bytes`)
  return size
}

/** Whether a volume of this size satisfies the request, for a repeated CreateVolume. */
export function fitsCapacity(sizeBytes: bigint, range: CapacityRange | undefined): boolean {
  if (!range) return true
  return sizeBytes >= range.requiredBytes && (range.limitBytes === 0n || sizeBytes <= range.limitBytes)
}
