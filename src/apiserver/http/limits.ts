const MIB = 1024 * 1024

/** What requests may cost. The table in docs/api-server.md shows the defaults. */
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

/** How many connections there may be, and for how long without use. */
export type ConnectionLimits = {
  /** Open at the same time from one address. */
  readonly perAddress: number
  /** From all together. */
  readonly overall: number
  /** How long a connection may take, its TLS handshake included, until its first request. */
  readonly firstRequestMs: number
  /** How long a connection without any authenticated request may stay idle. */
  readonly idleStrangerMs: number
}

/** Far more than any client needs, and little enough for one server: a connection takes some tens of kilobytes. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  perAddress: 2000,
  overall: 10_000,
  firstRequestMs: 10_000,
  idleStrangerMs: 120_000,
}

/** At the same time, on one HTTP/2 connection. */
export const REQUESTS_PER_CONNECTION = 1000
