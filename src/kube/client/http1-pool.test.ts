import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createIdentity } from '../../apiserver/server-identity.ts'
import { createSystemClock, createSystemRandom } from '../../base/index.ts'
import type { Clock } from '../../base/clock.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { HttpConnection, HttpRequest } from './http-connection.ts'
import { NoHttp1Error, openHttp1Pool } from './http1-pool.ts'

const identity = await createIdentity({ clock: createSystemClock(), random: createSystemRandom() })
const { server: pair, authority } = identity

type Answering = (path: string, socket: TLSSocket, text: string) => void
type Served = { pool: HttpConnection; sockets: TLSSocket[]; paths: string[]; open(): number }

/** A server that answers as the test says, and connections to it. */
async function serve(
  t: TestContext,
  answer: Answering,
  { clock = createSystemClock() as Clock, alpn = 'http/1.1' } = {},
): Promise<Served> {
  const sockets: TLSSocket[] = []
  const paths: string[] = []
  const server = createServer({ key: pair.keyPem, cert: pair.certificatePem, ALPNProtocols: [alpn] }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    // Requests of these tests fit into one record.
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString()
      const path = text.split(' ')[1] ?? ''
      paths.push(path)
      answer(path, socket, text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const tls = { ca: authority.pair.certificatePem, rejectUnauthorized: true }
  const { port } = server.address() as AddressInfo
  const pool = openHttp1Pool({ server: new URL(`https://127.0.0.1:${port}`), tls: () => Promise.resolve(tls), clock })
  t.after(() => {
    pool.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { pool, sockets, paths, open: () => sockets.filter(({ closed }) => !closed).length }
}

const reply = (socket: TLSSocket, body: string): void =>
  void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
const get = (path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path,
  headers: {},
  ...more,
})
const textOf = async (pool: HttpConnection, request: HttpRequest): Promise<string> => (await pool.send(request)).text()

test('requests one after the other share a connection, and simultaneous ones have one each', async (t) => {
  const held: (() => void)[] = []
  const all = Promise.withResolvers<void>()
  const { pool, sockets } = await serve(t, (path, socket) => {
    if (!path.startsWith('/held')) return reply(socket, path)
    if (held.push(() => reply(socket, path)) === 3) all.resolve()
  })
  for (const path of ['/a', '/b', '/c']) equal(await textOf(pool, get(path)), path)
  equal(sockets.length, 1)
  const answers = ['/held1', '/held2', '/held3'].map((path) => textOf(pool, get(path)))
  await all.promise
  for (const each of held) each()
  deepEqual(await Promise.all(answers), ['/held1', '/held2', '/held3'])
  equal(sockets.length, 3)
})

test('headers and a body reach the server as given', async (t) => {
  const { pool } = await serve(t, (_path, socket, text) => reply(socket, text))
  const seen = await textOf(pool, {
    method: 'POST',
    path: '/x?y=1',
    headers: { 'x-one': '1', 'x-many': ['a', 'b'] },
    body: '{"ä":1}',
  })
  const [head, body] = seen.split('\r\n\r\n')
  deepEqual(
    head?.split('\r\n').filter((line) => !line.startsWith('host:')),
    ['POST /x?y=1 HTTP/1.1', 'x-one: 1', 'x-many: a', 'x-many: b', 'content-length: 8'],
  )
  equal(body, '{"ä":1}')
})

test('a header or a path cannot smuggle a second request', async (t) => {
  const { pool, paths } = await serve(t, (path, socket) => reply(socket, path))
  await rejects(pool.send(get('/', { headers: { 'x-one': '1\r\n\r\nDELETE / HTTP/1.1' } })), /invalid character/)
  await rejects(pool.send(get('/a HTTP/1.1\r\n\r\nDELETE /')), /invalid character/)
  equal(await textOf(pool, get('/after')), '/after')
  deepEqual(paths, ['/after'])
})

test('a server without HTTP/1.1 is recognized before it has seen a request', async (t) => {
  const { pool, paths } = await serve(t, () => {}, { alpn: 'h2' })
  await rejects(pool.send(get('/', { method: 'POST', body: 'x' })), NoHttp1Error)
  deepEqual(paths, [])
})

test('a connection that the server has closed is not used again', async (t) => {
  const { pool, sockets } = await serve(t, (path, socket) => reply(socket, path))
  await textOf(pool, get('/a'))
  const [first] = sockets
  ok(first)
  const closed = once(first, 'close')
  first.end()
  await closed
  equal(await textOf(pool, get('/b', { method: 'POST', body: 'x' })), '/b')
  equal(sockets.length, 2)
})

test('a read is sent again if the server closed the connection instead of answering, and a write is not', async (t) => {
  const { pool, paths } = await serve(t, (path, socket) =>
    paths.length === 2 || paths.length === 5 ? void socket.destroy() : reply(socket, path),
  )
  await textOf(pool, get('/first'))
  equal(await textOf(pool, get('/read')), '/read')
  equal(await textOf(pool, get('/third')), '/third')
  await rejects(pool.send(get('/write', { method: 'POST', body: 'x' })))
  deepEqual(paths, ['/first', '/read', '/read', '/third', '/write'])
})

test('a first request that gets no answer fails', async (t) => {
  const { pool, paths } = await serve(t, (_path, socket) => void socket.end())
  await rejects(pool.send(get('/')), /closed the connection without an answer/)
  equal(paths.length, 1)
})

test('an answer that is no HTTP fails its request alone', async (t) => {
  const { pool } = await serve(t, (path, socket) =>
    path === '/bad' ? void socket.write('nonsense\r\n\r\n') : reply(socket, path),
  )
  await rejects(pool.send(get('/bad')), /not HTTP/)
  equal(await textOf(pool, get('/good')), '/good')
})

test('bytes that nobody asked for end the connection', async (t) => {
  const { pool, sockets } = await serve(t, (path, socket) => reply(socket, path))
  await textOf(pool, get('/a'))
  const [first] = sockets
  ok(first)
  const closed = once(first, 'close')
  reply(first, 'a lie')
  await closed
  equal(await textOf(pool, get('/b')), '/b')
})

test('a body that nobody reads stays with the server, and can be read later', async (t) => {
  const length = 32 * 1024 * 1024
  const { pool, sockets } = await serve(t, (path, socket) => {
    if (path !== '/large') return reply(socket, path)
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`)
    socket.write(Buffer.alloc(length, 'a'))
  })
  const response = await pool.send(get('/large'))
  for (let index = 0; index < 5; index++) equal(await textOf(pool, get('/small')), '/small')
  ok((sockets[0]?.writableLength ?? 0) > length / 4)
  equal((await response.text()).length, length)
  equal(await textOf(pool, get('/small')), '/small')
  equal(sockets.length, 2)
})

test('who gives up waiting for a connection leaves it to the next', async (t) => {
  const { pool, sockets } = await serve(t, (path, socket) => reply(socket, path))
  const controller = new AbortController()
  const given = rejects(pool.send(get('/given-up', { signal: controller.signal })), /no patience/)
  const kept = textOf(pool, get('/kept'))
  controller.abort(new Error('no patience'))
  await given
  equal(await kept, '/kept')
  equal(await textOf(pool, get('/later')), '/later')
  ok(sockets.length <= 2)
})

test('idle connections are closed', async (t) => {
  const clock = createSimulatedClock()
  const { pool, sockets } = await serve(t, (path, socket) => reply(socket, path), { clock })
  await textOf(pool, get('/a'))
  const [first] = sockets
  ok(first)
  const closed = once(first, 'close')
  await clock.advance(60_000)
  await closed
  equal(await textOf(pool, get('/b')), '/b')
})

test('a server that has vanished is noticed without a deadline', async (t) => {
  const clock = createSimulatedClock()
  const arrived = Promise.withResolvers<void>()
  const { pool } = await serve(t, () => arrived.resolve(), { clock })
  const lost = rejects(pool.send(get('/')), /the server does not answer/)
  await arrived.promise
  await clock.advance(90_000)
  await lost
  equal(clock.pendingTimers(), 0)
})
