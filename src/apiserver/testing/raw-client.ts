import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { ServerIdentity } from '../server-identity.ts'
import type { RunningApiServer } from '../start-apiserver.ts'

/** Who asks. Neither: nobody, who is anonymous. */
export type RawIdentity = { readonly user?: string; readonly groups?: readonly string[]; readonly token?: string }

export type RawRequest = {
  readonly method?: string
  /** With its query, just as it is to be sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Pieces are sent without a length that would announce them. */
  readonly body?: string | Uint8Array | readonly Uint8Array[]
}

export type RawReply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

/** Sends requests that no well-behaved client would send, and shows the answer as it came. */
export interface RawClient {
  ask(request: RawRequest): Promise<RawReply>
  /** Only the head of the answer: for a watch, which does not end. */
  head(request: RawRequest): Promise<Omit<RawReply, 'text'>>
  close(): void
}

type Opened = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Readable; abort(): void }
type Connection = { open(request: RawRequest): Promise<Opened>; close(): void }

/** A server in this process, which can issue certificates, or one elsewhere, which wants a token. */
export type RawServer = { readonly address: string } & (
  | { readonly identity: ServerIdentity }
  | { readonly caPem: string }
)

export async function openRawClient(
  server: RawServer,
  { user, groups = [], token }: RawIdentity = {},
  version: 'HTTP/1.1' | 'HTTP/2' = 'HTTP/2',
): Promise<RawClient> {
  const authority = 'identity' in server ? server.identity.authority : undefined
  const pair = user === undefined ? undefined : await authority?.issueClient({ user, groups })
  const ca = 'identity' in server ? server.identity.authority.pair.certificatePem : server.caPem
  const secure = { ca, ...(pair && { key: pair.keyPem, cert: pair.certificatePem }) }
  const more: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const connection =
    version === 'HTTP/2' ? openHttp2(server.address, secure, more) : openHttp1(server.address, secure, more)
  return {
    ask: async (request) => {
      const { status, headers, body } = await connection.open(request)
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk as Uint8Array)
      return { status, headers, text: Buffer.concat(chunks).toString() }
    },
    head: async (request) => {
      const { status, headers, abort } = await connection.open(request)
      abort()
      return { status, headers }
    },
    close: connection.close,
  }
}

function openHttp1(address: string, secure: object, more: Record<string, string>): Connection {
  const agent = new Agent({ keepAlive: true, ...secure })
  const { hostname: host, port } = new URL(address)
  const open = async ({ method = 'GET', path, headers = {}, body }: RawRequest): Promise<Opened> => {
    const length: Record<string, string> =
      typeof body === 'string' || body instanceof Uint8Array
        ? { 'content-length': String(Buffer.byteLength(body)) }
        : {}
    const request = httpsRequest({ host, port, agent, method, path, headers: { ...more, ...length, ...headers } })
    const answered = once(request, 'response')
    // A refused body may be cut off while it is sent: what counts is the answer.
    request.on('error', () => {})
    for (const piece of piecesOf(body)) request.write(piece)
    request.end()
    const [response] = (await answered) as [Readable & { statusCode: number; headers: IncomingHttpHeaders }]
    return { status: response.statusCode, headers: response.headers, body: response, abort: () => request.destroy() }
  }
  return { open, close: () => agent.destroy() }
}

function openHttp2(address: string, secure: object, more: Record<string, string>): Connection {
  // Node counts what it could not send of refused bodies, and takes no more answers once that is too much.
  const session = connectHttp2(address, { ...secure, maxSessionMemory: 1000 })
  session.on('error', () => {})
  const open = async ({ method = 'GET', path, headers = {}, body }: RawRequest): Promise<Opened> => {
    const pieces = piecesOf(body)
    const stream = session.request(
      { ...more, ...headers, ':method': method, ':path': path },
      { endStream: pieces.length === 0 },
    )
    const answered = once(stream, 'response')
    stream.on('error', () => {})
    for (const piece of pieces) stream.write(piece)
    if (pieces.length > 0) stream.end()
    const [response] = (await answered) as [IncomingHttpHeaders]
    return {
      status: Number(response[':status']),
      headers: response,
      body: stream,
      abort: () => stream.close(constants.NGHTTP2_CANCEL),
    }
  }
  return { open, close: () => session.destroy() }
}

const piecesOf = (body: RawRequest['body']): readonly (string | Uint8Array)[] =>
  body === undefined ? [] : typeof body === 'string' || body instanceof Uint8Array ? [body] : body

/** Sends bytes as they are over a connection of their own, and gives back what came until it was closed. */
export async function sendBytes(server: RunningApiServer, bytes: string | Uint8Array): Promise<string> {
  const { hostname: host, port } = new URL(server.address)
  const socket = connectTls({ host, port: Number(port), ca: server.identity.authority.pair.certificatePem })
  await once(socket, 'secureConnect')
  const chunks: Uint8Array[] = []
  socket.on('data', (chunk: Uint8Array) => chunks.push(chunk))
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => resolve()))
  socket.write(bytes)
  await closed
  return Buffer.concat(chunks).toString('latin1')
}
