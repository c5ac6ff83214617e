import { connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import type { ClientOptions } from './task.ts'

/** Watches that only count: events are not parsed, since it is the server that is measured. */
export interface OpenWatches {
  readonly events: number
  readonly bytes: number
  /** Opens one more and resolves when the server has begun to answer. */
  open(path: string): Promise<void>
  /** Resolves when that many events have come since `reset`. */
  until(events: number): Promise<void>
  reset(): void
  close(): void
}

// What kube-apiserver allows; the same for everybody, so that all have as many connections.
const STREAMS_PER_CONNECTION = 100
const LINE_END = 0x0a

export function createWatches({ address, ca, token }: ClientOptions): OpenWatches {
  const sessions: ClientHttp2Session[] = []
  let streams = 0
  let events = 0
  let bytes = 0
  let waiting: { expected: number; resolve(): void } | undefined

  const sessionForNext = (): ClientHttp2Session => {
    if (streams++ % STREAMS_PER_CONNECTION === 0) sessions.push(connect(address, { ca }).on('error', () => {}))
    const session = sessions.at(-1)
    if (!session) throw new Error('no connection')
    return session
  }
  const count = (chunk: Buffer): void => {
    bytes += chunk.length
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, end + 1)) events++
    if (!waiting || events < waiting.expected) return
    waiting.resolve()
    waiting = undefined
  }
  const open = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const stream = sessionForNext().request({ ':path': path, authorization: `Bearer ${token}`, accept: 'application/json' })
      stream.on('response', ({ ':status': status }) => (status === 200 ? resolve() : reject(new Error(`watch: HTTP ${status}`))))
      stream.on('error', reject)
      stream.on('data', count)
    })
  return {
    get events() {
      return events
    },
    get bytes() {
      return bytes
    },
    open,
    until: (expected) => (events >= expected ? Promise.resolve() : new Promise((resolve) => void (waiting = { expected, resolve }))),
    reset: () => {
      events = 0
      bytes = 0
    },
    close: () => {
      for (const session of sessions) session.destroy()
    },
  }
}
