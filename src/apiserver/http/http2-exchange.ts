import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { BaseExchange } from './base-exchange.ts'
import type { BodySource } from './collect-body.ts'
import type { AnswerHeaders, BodyWriter, Exchange, UsedConnection } from './exchange.ts'

/** An exchange over HTTP/2, directly on the stream: Node's compatibility objects cost a fifth more for each request. */
export class Http2Exchange extends BaseExchange implements Exchange {
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly #stream: ServerHttp2Stream
  protected isComplete = false

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    connection: UsedConnection,
  ) {
    super(stream, connection)
    this.#stream = stream
    this.headers = headers
    this.rawHeaders = rawHeaders
    // If a client leaves without an error while data is still to be written, the stream would otherwise stay half open indefinitely: closed, but
    // never reported as such.
    stream.once('aborted', () => stream.destroy())
  }

  get method(): string {
    return this.headers[':method'] ?? 'GET'
  }
  get target(): string {
    return this.headers[':path'] ?? '/'
  }

  protected get bodySource(): BodySource {
    const stream = this.#stream
    // A stream that only the client has ended is still open for the response.
    return { stream, declaredLength: this.headers['content-length'], isWhole: () => !stream.closed && !stream.aborted }
  }

  send(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    if (this.isClosed) return
    this.isComplete = true
    const stream = this.#stream
    if (body === undefined) {
      stream.respond({ ...headers, ':status': status }, { endStream: true })
      return
    }
    stream.respond({ ...headers, ':status': status })
    stream.end(body)
    // A client that is still sending after the response is asked to stop.
    if (!stream.endAfterHeaders && !stream.readableEnded) stream.once('finish', () => stream.close())
  }

  override abort(): void {
    // Without an error, the client would take the response as complete.
    this.#stream.destroy(new Error('the answer was cut off'))
  }

  begin(status: number, headers: AnswerHeaders): BodyWriter {
    if (!this.isClosed) this.#stream.respond({ ...headers, ':status': status })
    return this.writer(() => void (this.isComplete = true))
  }
}
