import { connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import type { ClientOptions } from './task.ts'

/** Watches that only count: events are not parsed, since it is the server that is measured. */
export interface OpenWatches {
  /** Watches that the server has ended: who doesn't keep up is told to begin anew. Then events are missing. */
  readonly lost: number
  /** Opens one more and resolves when the server has begun to answer. */
  open(path: string): Promise<void>
  /** Resolves when that many events have come since `reset`, or never will. */
  until(events: number): Promise<void>
  reset(): void
  close(): void
}

const LINE_END = 0x0a

export function createWatches({ address, ca, token }: ClientOptions, streamsPerConnection: number): OpenWatches {
  const sessions: ClientHttp2Session[] = []
  let streams = 0
  let events = 0
  let lost = 0
  let closed = false
  let waiting: { expected: number; resolve(): void } | undefined

  const sessionForNext = (): ClientHttp2Session => {
    if (streams++ % streamsPerConnection === 0) sessions.push(connect(address, { ca }).on('error', () => {}))
    const session = sessions.at(-1)
    if (!session) throw new Error('no connection')
    return session
  }
  const count = (chunk: Buffer): void => {
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, end + 1)) events++
    if (waiting && events >= waiting.expected) settle()
  }
  const settle = (): void => {
    waiting?.resolve()
    waiting = undefined
  }
  const lose = (): void => {
    if (closed) return
    lost++
    settle()
  }
  const open = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const stream = sessionForNext().request({
        ':path': path,
        authorization: `Bearer ${token}`,
        accept: 'application/json',
      })
      stream.on('response', ({ ':status': status }) =>
        status === 200 ? resolve() : reject(new Error(`watch: HTTP ${status}`)),
      )
      stream.on('error', reject)
      stream.on('data', count)
      stream.on('close', lose)
    })
  return {
    get lost() {
      return lost
    },
    open,
    until: (expected) =>
      events >= expected || lost > 0
        ? Promise.resolve()
        : new Promise((resolve) => void (waiting = { expected, resolve })),
    reset: () => {
      events = 0
    },
    close: () => {
      closed = true
      for (const session of sessions) session.destroy()
    },
  }
}
