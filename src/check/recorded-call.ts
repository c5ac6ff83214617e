/** A call of a case, without the values of secrets. */
export type RecordedCall = {
  readonly rpc: string
  /** The node whose socket was called; undefined for the controller. */
  readonly node?: string
  readonly request: unknown
  /** Undefined for a failed call. */
  readonly response?: unknown
  readonly code: string
  readonly error?: string
  readonly tookMs: number
}
