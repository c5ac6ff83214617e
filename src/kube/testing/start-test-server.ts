import { createSecureServer } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

export type TestRequest = {
  readonly method: string
  /** Including its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly stream: ServerHttp2Stream
  readonly session: ServerHttp2Session
}

export type TestServerOptions = {
  readonly certificatePem: string
  readonly keyPem: string
  /** The CA of client certificates. Default: clients are not asked for one. */
  readonly clientCa?: string
  readonly maxConcurrentStreams?: number
  readonly port?: number
  handle(request: TestRequest): void
}

/** An HTTPS server whose responses the test controls. */
export interface TestServer {
  readonly url: URL
  readonly requests: TestRequest[]
  readonly sessions: Set<ServerHttp2Session>
  /** Number of connections so far. */
  sessionCount(): number
  /** Ends immediately, like a killed process. */
  close(): Promise<void>
}

export async function startTestServer({
  certificatePem,
  keyPem,
  clientCa,
  maxConcurrentStreams,
  port = 0,
  handle,
}: TestServerOptions): Promise<TestServer> {
  const server = createSecureServer({
    cert: certificatePem,
    key: keyPem,
    ...(clientCa ? { ca: clientCa, requestCert: true, rejectUnauthorized: false } : {}),
    ...(maxConcurrentStreams ? { settings: { maxConcurrentStreams } } : {}),
  })
  const requests: TestRequest[] = []
  const sessions = new Set<ServerHttp2Session>()
  let count = 0
  server.on('session', (session) => {
    count++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      const chunks: Buffer[] = []
      stream.on('error', () => {})
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        const request = {
          method: String(headers[':method']),
          path: String(headers[':path']),
          headers,
          body: Buffer.concat(chunks).toString(),
          stream,
          session,
        }
        requests.push(request)
        handle(request)
      })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const session of sessions) session.destroy()
    await closed
  }
  return {
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    sessions,
    sessionCount: () => count,
    close,
  }
}

/** Answers with JSON. */
export function answerJson(
  { stream }: TestRequest,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  stream.respond({ ':status': status, 'content-type': 'application/json', ...headers })
  stream.end(JSON.stringify(body))
}
