import type { IncomingHttpHeaders } from 'node:http'
import type { ClientCertificate } from '../authentication/client-certificate.ts'
import type { BodyLimits } from './collect-body.ts'
import type { ConnectionUse } from './limit-connections.ts'

/** Headers of a response, in lower case. */
export type AnswerHeaders = Record<string, string | string[]>

/** One request and its response, the same for both versions of HTTP. Exactly one of `send` and `begin` is called, once. */
export interface Exchange {
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Alternating names and values, for headers that may occur twice. */
  readonly rawHeaders: readonly string[]
  readonly connection: UsedConnection
  /** Whether the client has disconnected, or the response is complete. */
  readonly isClosed: boolean
  /** Aborts if the client disconnects before the response is complete. */
  readonly signal: AbortSignal
  /** The whole body; fails with an ApiError if it is too large, or does not arrive. */
  readBody(limits: BodyLimits): Promise<Uint8Array>
  /** Sends a complete response; without a body for HEAD. */
  send(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void
  /** Sends the head of a response whose body follows in pieces; it is sent immediately. */
  begin(status: number, headers: AnswerHeaders): BodyWriter
  /** Called once, when the client disconnects or the response is complete. */
  onClose(callback: () => void): void
  /** Called once, when a response that would never end by itself must end. */
  onStop(callback: () => void): void
  stop(): void
  /** Disconnects the client: the response cannot be completed. */
  abort(): void
}

/** The body of a response in progress. Writing to a client that has disconnected has no effect. */
export interface BodyWriter {
  /** False if the client does not keep up: then wait for `drained`. */
  write(piece: string | Uint8Array): boolean
  /** Resolves when there is room again, or the client has disconnected. */
  drained(): Promise<void>
  end(): void
}

/** What is the same for all requests of a connection. */
export type ConnectionInfo = {
  readonly sourceIps: readonly string[]
  /** Set only if our authority signed it. */
  readonly certificate?: ClientCertificate
  /** Why the client's certificate is not accepted. */
  readonly certificateProblem?: string
}

export type UsedConnection = ConnectionInfo & { readonly use: ConnectionUse }
