import type { Clock } from '../../base/clock.ts'
import type { RequestHeaders, TlsSettings } from './credentials.ts'

export type HttpRequest = {
  readonly method: string
  /** Including its query. */
  readonly path: string
  readonly headers: RequestHeaders
  readonly body?: string
  readonly signal?: AbortSignal
  /** The response goes on until either side ends it, like a watch. */
  readonly isEndless?: boolean
}

/** The body must be read to its end, or its iterator closed. It fails if the connection is lost in the middle. */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Buffer>
  /** The whole body, in place of `body`. */
  text(): Promise<string>
}

/** Requests to one server. */
export interface HttpConnection {
  /** Resolves with the headers; the body is a stream. Rejects if there is no response, and with the reason of its signal. */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Fails requests in flight. */
  close(): void
}

export type HttpConnectionParts = {
  /** Its path is prepended to that of each request. */
  server: URL
  /** Called before each request; a new object closes connections with the old settings once they are unused. */
  tls(): Promise<TlsSettings>
  clock: Clock
}
