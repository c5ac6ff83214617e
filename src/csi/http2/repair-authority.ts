import { Duplex } from 'node:stream'
import { AuthorityFilter } from './authority-filter.ts'
import type { RepairOptions } from './authority-filter.ts'

/**
 * Sits between an HTTP/2 client and Node's server. nghttp2 resets any request whose `:authority` is not a host name. Older Go clients send the path
 * of their unix socket; it is replaced with `localhost`. The result can be passed to the server immediately, because many clients wait for its
 * SETTINGS before they send a request.
 */
export function repairAuthority(socket: Duplex, options: RepairOptions = {}): Duplex {
  return new RepairedConnection(socket, options)
}

class RepairedConnection extends Duplex {
  readonly #socket: Duplex
  // Removed as soon as nothing needs to be inspected: from then on, chunks are passed through.
  #filter: AuthorityFilter | undefined

  constructor(socket: Duplex, options: RepairOptions) {
    super({ allowHalfOpen: true })
    this.#filter = new AuthorityFilter(options)
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    // An incomplete frame at the end means nothing to the server, so bytes still in the filter are dropped.
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    // After an orderly end, the server may not have read all data yet.
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
    // The only possible error is that a socket which does not stay half open has already ended with its client.
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
