import type { Socket } from 'node:net'
import { createResponseParser } from './http1-parser.ts'
import type { HttpRequest, HttpResponse } from './http-connection.ts'

/** One request and its response on a connection. */
export interface Exchange {
  push(chunk: Buffer): void
  /** The connection is gone. */
  lose(problem: Error | undefined): void
}

export type ExchangeParts = {
  readonly socket: Socket
  readonly request: HttpRequest
  resolve(response: HttpResponse): void
  reject(reason: unknown): void
  /** Called when the response is complete. */
  ended(canReuse: boolean): void
}

// What nobody reads is left with the server.
const MOST_UNREAD_BYTES = 1024 * 1024

type Reading = { wake(): void; takesAll: boolean }

// One function, because all of it works on the same body.
export function createExchange({ socket, request, resolve, reject, ended }: ExchangeParts): Exchange {
  const { signal } = request
  let chunks: Buffer[] = []
  let unreadBytes = 0
  let isAnswered = false
  let isComplete = false
  let failure: Error | undefined
  let reading: Reading | undefined

  const onAbort = (): void => void socket.destroy()
  signal?.addEventListener('abort', onAbort, { once: true })
  const settle = (): void => {
    signal?.removeEventListener('abort', onAbort)
    reading?.wake()
  }
  const parser = createResponseParser({
    head: (status, headers) => {
      isAnswered = true
      resolve({ status, headers, body: { [Symbol.asyncIterator]: iterate }, text })
    },
    data: (chunk) => {
      chunks.push(chunk)
      unreadBytes += chunk.length
      if (reading?.takesAll) return
      if (unreadBytes > MOST_UNREAD_BYTES) socket.pause()
      reading?.wake()
    },
    end: (canReuse) => {
      isComplete = true
      if (socket.isPaused()) socket.resume()
      settle()
      ended(canReuse)
    },
  })
  parser.expect(request.method === 'HEAD')

  const lose = (problem: Error | undefined): void => {
    if (isComplete || parser.close()) return
    failure = problem ?? new Error('the connection was lost in the middle of the answer')
    if (!isAnswered)
      reject(
        signal?.aborted ? signal.reason : (problem ?? new Error('the server closed the connection without an answer')),
      )
    settle()
  }
  const push = (chunk: Buffer): void => {
    try {
      parser.push(chunk)
    } catch (error) {
      socket.destroy(error as Error)
    }
  }
  const takeChunks = (): Buffer[] => {
    const taken = chunks
    chunks = []
    unreadBytes = 0
    if (!isComplete && socket.isPaused()) socket.resume()
    return taken
  }
  const untilMore = (takesAll: boolean): Promise<void> =>
    new Promise((wake) => {
      reading = { wake, takesAll }
    })
  const text = async (): Promise<string> => {
    if (!isComplete && !failure) {
      const more = untilMore(true)
      if (socket.isPaused()) socket.resume()
      await more
    }
    if (failure) throw failure
    const [first, ...others] = chunks
    chunks = []
    if (!first) return ''
    return others.length === 0 ? first.toString() : Buffer.concat([first, ...others]).toString()
  }
  async function* iterate(): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        if (chunks.length > 0) yield* takeChunks()
        else if (isComplete || failure) break
        else await untilMore(false)
      }
    } finally {
      // A reader that stops early does not need the rest.
      if (!isComplete) socket.destroy()
    }
    if (failure) throw failure
  }
  return { push, lose }
}
