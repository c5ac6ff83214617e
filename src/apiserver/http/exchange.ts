import type { IncomingHttpHeaders } from 'node:http'
import type { ClientCertificate } from '../authentication/client-certificate.ts'
import type { BodyLimits } from './collect-body.ts'
import type { ConnectionUse } from './limit-connections.ts'

/** Headers of an answer, in lower case. */
export type AnswerHeaders = Record<string, string | string[]>

/** One request and its answer, the same for both versions of HTTP. Exactly one of `send` and `begin` is called, once. */
export interface Exchange {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Names and values by turns, for headers that may come twice. */
  readonly rawHeaders: readonly string[]
  readonly connection: UsedConnection
  /** The client has gone, or the answer is complete. */
  readonly isClosed: boolean
  /** Aborted when the client goes before the answer is complete. */
  readonly signal: AbortSignal
  /** The whole body; fails with an ApiError when it is too large, or does not come. */
  readBody(limits: BodyLimits): Promise<Uint8Array>
  /** A complete answer; without a body for HEAD. */
  send(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void
  /** The head of an answer whose body follows in pieces; it leaves at once. */
  begin(status: number, headers: AnswerHeaders): BodyWriter
  /** Called once, when the client goes or the answer is complete. */
  onClose(callback: () => void): void
  /** Called once, when an answer that would never end by itself has to. */
  onStop(callback: () => void): void
  stop(): void
  /** Cuts the client off: the answer can't be completed. */
  abort(): void
}

/** The body of an answer on its way. Writing to a client that has gone does nothing. */
export interface BodyWriter {
  /** False when the client does not keep up: then wait for `drained`. */
  write(piece: string | Uint8Array): boolean
  /** Resolves when there is room again, or the client has disconnected. */
  drained(): Promise<void>
  end(): void
}

/** What stays the same for all requests of a connection. */
export type ConnectionInfo = {
  readonly sourceIps: readonly string[]
  /** Only when our authority signed it. */
  readonly certificate?: ClientCertificate
  /** Why the certificate that was presented is not accepted. */
  readonly certificateProblem?: string
}

export type UsedConnection = ConnectionInfo & { readonly use: ConnectionUse }
