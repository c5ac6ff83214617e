import { VolumeHealthErrorType as ErrorType } from '../../csi/generated/csi/v1/csi.ts'
import type { VolumeCondition, VolumeHealth } from '../../csi/generated/csi/v1/csi.ts'

/** What the driver says about one volume. */
export type HealthReport = { readonly kind: 'normal' } | { readonly kind: 'abnormal'; readonly message: string }

const NORMAL: HealthReport = { kind: 'normal' }
const NO_MESSAGE = 'The driver reports an abnormal volume condition without a message'
// The longest list of conditions that Kubernetes accepts for one volume.
const MOST_ENTRIES = 16

/** Of a driver up to CSI 1.12. Undefined: it says nothing about this volume, although it has the capability. */
export function reportOfCondition(condition: VolumeCondition | undefined): HealthReport | undefined {
  if (!condition) return undefined
  return condition.abnormal ? { kind: 'abnormal', message: condition.message || NO_MESSAGE } : NORMAL
}

/** Of a driver since CSI 1.13. The order of its entries does not matter. */
export function reportOfHealth({ healthStatuses }: Pick<VolumeHealth, 'healthStatuses'>): HealthReport {
  if (healthStatuses.length === 0) return NORMAL
  const entries = healthStatuses.map(({ status, reason, message }) => {
    const name = STATUS_NAMES[status] ?? 'Unknown'
    return [reason ? `${name} (${reason})` : name, message].filter(Boolean).join(': ')
  })
  return { kind: 'abnormal', message: [...new Set(entries)].toSorted().slice(0, MOST_ENTRIES).join('; ') }
}

// The names in the Kubernetes API.
const STATUS_NAMES: Readonly<Record<number, string>> = {
  [ErrorType.DEGRADED]: 'Degraded',
  [ErrorType.INACCESSIBLE]: 'Inaccessible',
  [ErrorType.DATA_LOSS]: 'DataLoss',
}
