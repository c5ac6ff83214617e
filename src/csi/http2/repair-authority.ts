import { Duplex } from 'node:stream'
import { AuthorityFilter } from './authority-filter.ts'

/**
 * Stands between an HTTP/2 client and Node's server. nghttp2 resets any request whose `:authority` is no host name, which
 * older Go clients take from the path of their unix socket; here such a name becomes `localhost` on the way. The result can be
 * handed to the server at once, since many clients wait for its SETTINGS before they send a request.
 */
export function repairAuthority(socket: Duplex): Duplex {
  return new RepairedConnection(socket)
}

class RepairedConnection extends Duplex {
  readonly #socket: Duplex
  // Gone as soon as nothing needs to be looked at: from then on chunks pass from stream to stream.
  #filter: AuthorityFilter | undefined = new AuthorityFilter()

  constructor(socket: Duplex) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    // A frame cut off by the end means nothing to the server: whatever the filter still holds is dropped.
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    // After an orderly end, what was read before may still wait here for the server.
    socket.on('close', () => {
      if (!socket.readableEnded || !socket.writableFinished) this.destroy()
    })
  }

  #onData(chunk: Buffer): void {
    const bytes = this.#filter ? this.#repair(this.#filter, chunk) : chunk
    if (bytes && bytes.length > 0 && !this.push(bytes)) this.#socket.pause()
  }

  #repair(filter: AuthorityFilter, chunk: Buffer): Buffer | undefined {
    try {
      const pieces = filter.feed(chunk)
      if (filter.transparent) this.#filter = undefined
      return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error('unreadable HTTP/2 connection', { cause: error }))
      return undefined
    }
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _writev(chunks: Array<{ chunk: Buffer }>, done: (error?: Error | null) => void): void {
    const last = chunks.length - 1
    this.#socket.cork()
    chunks.forEach(({ chunk }, index) => this.#socket.write(chunk, index === last ? done : undefined))
    this.#socket.uncork()
  }

  override _final(done: () => void): void {
    // The one error told here is that a socket which does not stay half open has already ended by itself, with its client.
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
