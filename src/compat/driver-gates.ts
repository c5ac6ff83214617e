/** Features of the first documents that an administrator may switch off. Left out: on. */
export type DriverGates = {
  /** Off: every driver has its volumes attached, whatever it asks for. */
  readonly CSISkipAttach?: boolean
  /** Off: drivers get no tokens, and nothing is published again. */
  readonly CSIServiceAccountToken?: boolean
}

export const skipsAttach = ({ CSISkipAttach = true }: DriverGates): boolean => CSISkipAttach
export const passesTokens = ({ CSIServiceAccountToken = true }: DriverGates): boolean => CSIServiceAccountToken
