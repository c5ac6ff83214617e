import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as http2Connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { after, describe } from 'node:test'
import { ApiError } from '../../../api/api-error.ts'
import { createSystemClock } from '../../../base/clock.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSystemRandom } from '../../../base/random.ts'
import type { Credentials } from '../../authentication/authenticator.ts'
import { createAuthority, localServerNames } from '../../authentication/certificates.ts'
import type { Authority, KeyPair } from '../../authentication/certificates.ts'
import { createDoorUnderTest } from './door-under-test.ts'
import type { DoorUnderTest } from './door-under-test.ts'
import { startHttpServer } from '../server.ts'
import type { HttpServer, HttpServerOptions } from '../server.ts'

export type Transport = 'HTTP/1.1' | 'HTTP/1.1 with TLS' | 'HTTP/2'
export type AskOptions = { method?: string; headers?: Record<string, string | string[]>; body?: string | Uint8Array }
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}
export type Opened = {
  readonly status: number
  readonly headers: Reply['headers']
  readonly body: Readable
  abort(): void
}

/** A server with a fake core, and a client for one of the protocols. */
export type Bench = {
  readonly transport: Transport
  readonly door: DoorUnderTest
  readonly server: HttpServer
  readonly credentials: Credentials[]
  ask(path: string, options?: AskOptions): Promise<Reply>
  json(path: string, options?: AskOptions): Promise<Record<string, unknown>>
  /** The head of a response whose body is still being sent. */
  open(path: string, options?: AskOptions): Promise<Opened>
  close(): Promise<void>
}

export type Pki = { readonly authority: Authority; readonly server: KeyPair }

export const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+test',
  gitCommit: 'none',
  gitTreeState: 'clean',
  buildDate: '2030-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
}

export async function createPki(): Promise<Pki> {
  const authority = await createAuthority(createSystemRandom(), createSystemClock())
  return { authority, server: await authority.issueServer(localServerNames()) }
}

/** The token `bad` is rejected; every other user is the one in the certificate or the token. */
const authenticate = ({ bearerToken, clientCertificate }: Credentials) =>
  bearerToken === 'bad'
    ? { error: new ApiError('Unauthorized', 'Unauthorized') }
    : { user: { name: clientCertificate?.commonName ?? bearerToken ?? 'system:anonymous', groups: [] } }

export async function openBench(
  transport: Transport,
  { authority, server: pair }: Pki,
  more: Partial<HttpServerOptions> = {},
  client?: KeyPair,
): Promise<Bench> {
  const door = createDoorUnderTest()
  const credentials: Credentials[] = []
  const server = await startHttpServer({
    door,
    authenticate: (given) => {
      credentials.push(given)
      return authenticate(given)
    },
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: createSilentLogger(),
    version: VERSION,
    host: '127.0.0.1',
    port: 0,
    ...(transport === 'HTTP/1.1'
      ? {}
      : { tls: { key: pair.keyPem, cert: pair.certificatePem, clientCa: authority.pair.certificatePem } }),
    ...more,
  })
  const secure = {
    ca: authority.pair.certificatePem,
    ...(client && { key: client.keyPem, cert: client.certificatePem }),
  }
  const connection = transport === 'HTTP/2' ? openHttp2(server.address, secure) : openHttp1(server.address, secure)
  const ask = async (path: string, options?: AskOptions): Promise<Reply> => {
    const { status, headers, body } = await connection.open(path, options)
    return { status, headers, text: await readAll(body) }
  }
  return {
    transport,
    door,
    server,
    credentials,
    ask,
    json: async (path, options) => JSON.parse((await ask(path, options)).text) as Record<string, unknown>,
    open: connection.open,
    close: async () => {
      connection.close()
      await server.close()
    },
  }
}

type Connection = { open(path: string, options?: AskOptions): Promise<Opened>; close(): void }

function openHttp1(address: string, secure: object): Connection {
  const agent = new Agent({ keepAlive: true, ...secure })
  const open = async (path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Opened> => {
    const { hostname, port } = new URL(address)
    const length =
      body === undefined || 'content-length' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const target = { host: hostname, port, path, method, headers: { ...length, ...headers } }
    const request = address.startsWith('https') ? httpsRequest({ ...target, agent }) : httpRequest(target)
    request.end(body)
    const [response] = (await once(request, 'response')) as [
      Readable & { statusCode: number; headers: Reply['headers'] },
    ]
    request.on('error', () => {})
    return { status: response.statusCode, headers: response.headers, body: response, abort: () => request.destroy() }
  }
  return { open, close: () => agent.destroy() }
}

function openHttp2(address: string, secure: object): Connection {
  const session: ClientHttp2Session = http2Connect(address, secure)
  session.on('error', () => {})
  const open = async (path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Opened> => {
    const stream = session.request({ ...headers, ':method': method, ':path': path }, { endStream: body === undefined })
    stream.on('error', () => {})
    if (body !== undefined) stream.end(body)
    const cut = once(stream, 'close').then(() => Promise.reject(new Error('the stream was closed before it began')))
    cut.catch(() => {})
    const [response] = (await Promise.race([once(stream, 'response'), cut])) as [Record<string, string | undefined>]
    return { status: Number(response[':status']), headers: response, body: stream, abort: () => stream.close(8) }
  }
  return { open, close: () => session.close() }
}

/** Waits for an effect of the other side. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

export async function readAll(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString()
}

/** Lines of a body as they arrive; undefined at its end. */
export function linesOf(body: Readable): () => Promise<string | undefined> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest = ''
  let isEnded = false
  return async () => {
    while (!rest.includes('\n') && !isEnded) {
      const { value, done } = await iterator.next()
      if (done) isEnded = true
      else rest += value.toString()
    }
    if (!rest.includes('\n')) {
      assert.equal(rest, '', 'the last line has no end')
      return undefined
    }
    const line = rest.slice(0, rest.indexOf('\n'))
    rest = rest.slice(line.length + 1)
    return line
  }
}

/** Runs the same tests over every way to reach the server. */
export function describeTransports(
  pki: Pki,
  suite: (open: (more?: Partial<HttpServerOptions>) => Promise<Bench>) => void,
): void {
  for (const transport of ['HTTP/1.1', 'HTTP/1.1 with TLS', 'HTTP/2'] as const) {
    describe(transport, () => {
      const benches: Bench[] = []
      after(async () => void (await Promise.all(benches.map((bench) => bench.close()))))
      suite(async (more) => {
        const bench = await openBench(transport, pki, more)
        benches.push(bench)
        return bench
      })
    })
  }
}
