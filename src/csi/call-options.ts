/** What a caller may say about one call. */
export type CallOptions = {
  /** Cancels the call. */
  signal?: AbortSignal
  /** The longest the call may take. Default: the client's. */
  timeoutMs?: number
}
