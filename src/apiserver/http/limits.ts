const MIB = 1024 * 1024

/** Limits of requests. The table in docs/api-server.md shows the defaults. */
export type RequestLimits = {
  /** Largest body of a request. */
  readonly bodyBytes: number
  /** Bytes of bodies and responses that one user may have in memory at the same time. */
  readonly heldPerUserBytes: number
  /** Bytes of bodies and responses of all users together. */
  readonly heldBytes: number
  /** How long a client may pause while it sends a body. */
  readonly stalledBodyMs: number
  /** How long a client may pause while it reads its response. */
  readonly unreadAnswerMs: number
}

export const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  bodyBytes: 3 * MIB,
  heldPerUserBytes: 128 * MIB,
  heldBytes: 512 * MIB,
  stalledBodyMs: 30_000,
  unreadAnswerMs: 60_000,
}

/** Counted for each request in addition to its body and response, so that many small ones are not free. */
export const REQUEST_BYTES = 16 * 1024

/** Limits of connections and of their idle time. */
export type ConnectionLimits = {
  /** Open connections from one address. */
  readonly perAddress: number
  /** Open connections in total. */
  readonly overall: number
  /** Longest time from the start of a connection, including its TLS handshake, to its first request. */
  readonly firstRequestMs: number
  /** Longest idle time of a connection without any authenticated request. */
  readonly idleStrangerMs: number
}

/** Far more than any client needs, but affordable: a connection takes some tens of kilobytes. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  perAddress: 2000,
  overall: 10_000,
  firstRequestMs: 10_000,
  idleStrangerMs: 120_000,
}

/** Concurrent requests on one HTTP/2 connection. */
export const REQUESTS_PER_CONNECTION = 1000
