import type { FeatureGateTable } from '../base/options/index.ts'

/** Feature gates of every command that deals with drivers. */
export const DRIVER_GATES = {
  CSIServiceAccountToken: { default: true, stage: 'GA' },
  CSISkipAttach: { default: true, stage: 'GA' },
} as const satisfies FeatureGateTable

/** Features of the original design documents that an administrator may disable. Default: enabled. */
export type DriverGates = {
  /** Disabled: volumes of every driver are attached, regardless of its CSIDriver. */
  readonly CSISkipAttach?: boolean
  /** Disabled: drivers get no tokens, and volumes are not republished. */
  readonly CSIServiceAccountToken?: boolean
}

export const skipsAttach = ({ CSISkipAttach = true }: DriverGates): boolean => CSISkipAttach
export const passesTokens = ({ CSIServiceAccountToken = true }: DriverGates): boolean => CSIServiceAccountToken
