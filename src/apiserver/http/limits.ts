const MIB = 1024 * 1024

/** What requests may cost. The table in docs/security.md shows the defaults. */
export type RequestLimits = {
  /** The largest body of a request. */
  readonly bodyBytes: number
  /** Bodies and answers that one user may have in memory at the same time. */
  readonly heldPerUserBytes: number
  /** Bodies and answers of all users together. */
  readonly heldBytes: number
  /** How long a client may send nothing of a body that it has begun. */
  readonly stalledBodyMs: number
  /** How long a client may read nothing of its answer. */
  readonly unreadAnswerMs: number
}

export const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  bodyBytes: 3 * MIB,
  heldPerUserBytes: 128 * MIB,
  heldBytes: 512 * MIB,
  stalledBodyMs: 30_000,
  unreadAnswerMs: 60_000,
}

/** Counted for each request besides its body and its answer, so that many small ones are not free. */
export const REQUEST_BYTES = 16 * 1024
