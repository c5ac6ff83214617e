import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { BaseExchange } from './base-exchange.ts'
import type { BodySource } from './collect-body.ts'
import type { AnswerHeaders, BodyWriter, Exchange, UsedConnection } from './exchange.ts'

const REQUEST_TIMEOUT = 408

/** An exchange over HTTP/1.1. */
export class Http1Exchange extends BaseExchange implements Exchange {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #isLast: () => boolean

  /** `isLast`: the connection is closed after this response. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    parts: { connection: UsedConnection; isLast(): boolean },
  ) {
    super(response, parts.connection)
    this.#request = request
    this.#response = response
    this.#isLast = parts.isLast
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }
  get target(): string {
    return this.#request.url ?? '/'
  }
  get headers(): IncomingHttpHeaders {
    return this.#request.headers
  }
  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }
  protected get isComplete(): boolean {
    return this.#response.writableFinished
  }

  protected get bodySource(): BodySource {
    const request = this.#request
    return { stream: request, declaredLength: request.headers['content-length'], isWhole: () => request.complete }
  }

  send(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    if (this.isClosed) return
    // The rest of an incomplete body cannot be distinguished from the next request.
    if (this.#isLast() || status === REQUEST_TIMEOUT) headers['connection'] = 'close'
    this.#response.writeHead(status, headers)
    // With a string as the body, Node would also encode the head as UTF-8, but the warnings are already encoded.
    this.#response.end(headers['warning'] !== undefined && typeof body === 'string' ? Buffer.from(body) : body)
  }

  begin(status: number, headers: AnswerHeaders): BodyWriter {
    if (this.#isLast()) headers['connection'] = 'close'
    if (!this.isClosed) {
      this.#response.writeHead(status, headers)
      this.#response.flushHeaders()
    }
    return this.writer()
  }
}
