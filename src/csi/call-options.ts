/** Options of one call. */
export type CallOptions = {
  /** Cancels the call. */
  signal?: AbortSignal
  /** Longest duration of the call. Default: the client's timeout. */
  timeoutMs?: number
}
