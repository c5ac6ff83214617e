import { createServer } from 'node:http2'
import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import type { TestContext } from 'node:test'
import { CSI_RPCS } from '../rpc.ts'
import type { CsiMethod, Rpc } from '../rpc.ts'

/** The response to a call: any bytes as a message, an error, no response, or the end of the whole connection. */
export type RawAnswer =
  | { kind: 'message'; bytes: Uint8Array }
  | { kind: 'error'; code: number; text: string }
  | { kind: 'hang' }
  | { kind: 'cut' }

/** A driver that may send any response, well-formed or not. */
export interface RawDriver {
  /** Calls of these methods so far; without arguments, all calls. */
  calls(...methods: CsiMethod[]): number
  /** Resolves after this many more of these calls. */
  untilCalled(more: number, ...methods: CsiMethod[]): Promise<void>
}

/** A valid response with these members. */
export function answerOf(method: CsiMethod, members: object = {}): RawAnswer {
  const { responseType } = rpcOf(({ key }) => key === method)
  return { kind: 'message', bytes: responseType.encode(responseType.fromPartial(members)).finish() }
}

/** Serves on the socket until the running test ends. */
export async function startRawDriver(
  test: TestContext,
  path: string,
  answer: (method: CsiMethod, request: unknown) => RawAnswer,
): Promise<RawDriver> {
  const counts = new Map<string, number>()
  const waiting = new Set<() => void>()
  const sessions = new Set<Http2Session>()
  const server = createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {}).on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    const rpc = rpcOf((each) => each.path === headers[':path'])
    const parts: Buffer[] = []
    stream.on('error', () => {})
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('end', () => {
      counts.set(rpc.key, (counts.get(rpc.key) ?? 0) + 1)
      // The keys of the table are the methods.
      give(stream, answer(rpc.key as CsiMethod, rpc.requestType.decode(Buffer.concat(parts).subarray(PREFIX_BYTES))))
      for (const check of [...waiting]) check()
    })
  })
  server.listen(path)
  await new Promise((resolve) => server.once('listening', resolve))
  test.after(() => {
    server.close()
    for (const session of sessions) session.destroy()
  })

  const calls = (...methods: CsiMethod[]): number =>
    [...counts]
      .filter(([key]) => methods.length === 0 || methods.some((method) => method === key))
      .reduce((sum, [, count]) => sum + count, 0)
  const untilCalled = (more: number, ...methods: CsiMethod[]): Promise<void> => {
    const wanted = calls(...methods) + more
    return new Promise((resolve) => {
      const check = (): void => {
        if (calls(...methods) < wanted) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
    })
  }
  return { calls, untilCalled }
}

// Precedes each message: whether it is compressed, and its length.
const PREFIX_BYTES = 5
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' }

function give(stream: ServerHttp2Stream, answer: RawAnswer): void {
  if (stream.destroyed) return
  switch (answer.kind) {
    case 'hang':
      return
    case 'cut':
      return stream.session?.destroy()
    case 'error':
      return stream.respond(
        { ...HEADERS, 'grpc-status': String(answer.code), 'grpc-message': encodeURIComponent(answer.text) },
        { endStream: true },
      )
    case 'message': {
      const prefix = Buffer.alloc(PREFIX_BYTES)
      prefix.writeUInt32BE(answer.bytes.length, 1)
      stream.respond(HEADERS, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.write(prefix)
      stream.end(answer.bytes)
    }
  }
}

function rpcOf(is: (rpc: Rpc) => boolean): Rpc {
  const rpc = CSI_RPCS.values().find(is)
  if (!rpc) throw new Error('there is no such call')
  return rpc
}
