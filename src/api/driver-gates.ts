import type { FeatureGateTable } from '../base/options/index.ts'

/** The gates as every command knows them that has something to do with drivers. */
export const DRIVER_GATES = {
  CSIServiceAccountToken: { default: true, stage: 'GA' },
  CSISkipAttach: { default: true, stage: 'GA' },
} as const satisfies FeatureGateTable

/** Features of the first documents that an administrator may switch off. Left out: on. */
export type DriverGates = {
  /** Off: every driver has its volumes attached, whatever it asks for. */
  readonly CSISkipAttach?: boolean
  /** Off: drivers get no tokens, and nothing is published again. */
  readonly CSIServiceAccountToken?: boolean
}

export const skipsAttach = ({ CSISkipAttach = true }: DriverGates): boolean => CSISkipAttach
export const passesTokens = ({ CSIServiceAccountToken = true }: DriverGates): boolean => CSIServiceAccountToken
