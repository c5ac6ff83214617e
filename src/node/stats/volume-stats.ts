import { VolumeUsage_Unit as Unit } from '../../csi/generated/csi/v1/csi.ts'
import type {
  NodeGetVolumeHealthResponse,
  NodeGetVolumeStatsResponse,
  VolumeUsage,
} from '../../csi/generated/csi/v1/csi.ts'

/** How full a volume is. Numbers that the driver leaves out are 0, as with the kubelet. */
export type VolumeUsageStats = {
  readonly capacityBytes: bigint
  readonly availableBytes: bigint
  readonly usedBytes: bigint
  readonly inodes: bigint
  readonly inodesFree: bigint
  readonly inodesUsed: bigint
}

/** What a driver reported about a volume last. */
export type VolumeStats = {
  /** When, on the wall clock. */
  readonly timeMs: number
  /** Undefined: the driver does not report it. */
  readonly usage?: VolumeUsageStats | undefined
  /** What is wrong with the volume; empty if nothing is. Undefined: the driver does not report it. */
  readonly problem?: string | undefined
}

/** One volume of one pod, with its stats. */
export type PodVolumeStats = VolumeStats & {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string }
  /** In the pod's spec. */
  readonly volumeName: string
  /** Undefined for a volume that is declared in the pod. */
  readonly claimName?: string | undefined
}

/** Throws if the driver reports no usage at all: then there is nothing to show. */
export function usageOf({ usage }: NodeGetVolumeStatsResponse): VolumeUsageStats {
  if (usage.length === 0) throw new Error('failed to get usage from response. usage is nil')
  const find = (unit: Unit): Partial<VolumeUsage> => usage.find((each) => each.unit === unit) ?? {}
  const [bytes, inodes] = [find(Unit.BYTES), find(Unit.INODES)]
  return {
    capacityBytes: positive(bytes.total),
    availableBytes: positive(bytes.available),
    usedBytes: positive(bytes.used),
    inodes: positive(inodes.total),
    inodesFree: positive(inodes.available),
    inodesUsed: positive(inodes.used),
  }
}

// A driver may return anything; a negative number is not a size.
const positive = (count = 0n): bigint => (count > 0n ? count : 0n)

/** As drivers up to CSI 1.12 report it, with the usage. */
export const conditionProblem = ({ volumeCondition }: NodeGetVolumeStatsResponse): string | undefined =>
  volumeCondition && (volumeCondition.abnormal ? volumeCondition.message || 'the volume is abnormal' : '')

/** As drivers report it since CSI 1.13: `ContentMissing: the content of the volume is missing`. */
export const healthProblem = ({ volumeHealth }: NodeGetVolumeHealthResponse): string =>
  (volumeHealth?.healthStatuses ?? [])
    .map(
      ({ reason, message }) => [reason, message].filter((text) => text !== '').join(': ') || 'the volume is abnormal',
    )
    .join('; ')
