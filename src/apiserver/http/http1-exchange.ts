import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { collectBody } from './collect-body.ts'
import type { AnswerHeaders, BodyWriter, ConnectionInfo, Exchange } from './exchange.ts'
import { whenDrained } from './when-drained.ts'

const ignore = (): void => {}

/** An exchange over HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly connection: ConnectionInfo
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #isLast: () => boolean
  #controller: AbortController | undefined
  #isStopped = false
  #stopCallback: (() => void) | undefined

  /** `isLast`: the connection is to be closed after this answer. */
  constructor(request: IncomingMessage, response: ServerResponse, parts: { connection: ConnectionInfo; isLast(): boolean }) {
    this.#request = request
    this.#response = response
    this.connection = parts.connection
    this.#isLast = parts.isLast
    // Writing to a connection that broke meanwhile is no failure of ours.
    response.on('error', ignore)
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
  get isClosed(): boolean {
    return this.#response.closed || this.#response.destroyed
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = (this.#controller = new AbortController())
      this.onClose(() => {
        if (!this.#response.writableFinished) controller.abort(new Error('the client has gone'))
      })
    }
    return this.#controller.signal
  }

  readBody(limitBytes: number): Promise<Uint8Array> {
    return collectBody(this.#request, this.#request.headers['content-length'], limitBytes)
  }

  send(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    if (this.isClosed) return
    if (this.#isLast()) headers['connection'] = 'close'
    this.#response.writeHead(status, headers)
    // Together with a text the head would be written as UTF-8 as well, and these texts are that already.
    this.#response.end(headers['warning'] !== undefined && typeof body === 'string' ? Buffer.from(body) : body)
  }

  begin(status: number, headers: AnswerHeaders): BodyWriter {
    const response = this.#response
    if (this.#isLast()) headers['connection'] = 'close'
    if (!this.isClosed) {
      response.writeHead(status, headers)
      response.flushHeaders()
    }
    return {
      write: (text) => this.isClosed || response.write(text),
      drained: () => whenDrained(response, () => this.isClosed),
      end: () => {
        if (!this.isClosed) response.end()
      },
    }
  }

  onClose(callback: () => void): void {
    if (this.isClosed) callback()
    else this.#response.once('close', callback)
  }
  onStop(callback: () => void): void {
    if (this.#isStopped) callback()
    else this.#stopCallback = callback
  }

  stop(): void {
    this.#isStopped = true
    this.#stopCallback?.()
  }

  abort(): void {
    this.#response.destroy()
  }
}
