import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { createAuthority, localServerNames } from '../../apiserver/authentication/certificates.ts'
import { createSystemClock } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { createSystemRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { TlsSettings } from './credentials.ts'
import { openHttpConnection } from './open-http-connection.ts'
import type { HttpConnection, HttpRequest } from './http-connection.ts'
import { readText } from './read-body.ts'
import { answerJson, startTestServer } from '../testing/start-test-server.ts'
import type { TestRequest, TestServer, TestServerOptions } from '../testing/start-test-server.ts'

const systemClock = createSystemClock()
const authority = await createAuthority(createSystemRandom(), systemClock)
const serverPair = await authority.issueServer(localServerNames())
const trusting: TlsSettings = { ca: authority.pair.certificatePem, rejectUnauthorized: true }

async function startServer(
  t: TestContext,
  handle: (request: TestRequest) => void,
  options: Partial<TestServerOptions> = {},
): Promise<TestServer> {
  const server = await startTestServer({ ...serverPair, handle, ...options })
  t.after(() => server.close())
  return server
}
function open(
  t: TestContext,
  server: URL,
  { clock = systemClock, tls = () => trusting }: { clock?: Clock; tls?: () => TlsSettings } = {},
): HttpConnection {
  const connection = openHttpConnection({ server, tls: () => Promise.resolve(tls()), clock })
  t.after(() => connection.close())
  return connection
}
const request = (path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path,
  headers: {},
  ...more,
})
const fetchText = async (connection: HttpConnection, asked: HttpRequest): Promise<string> =>
  readText((await connection.send(asked)).body)
const answerPath = (asked: TestRequest): void => answerJson(asked, 200, asked.path)

/** Forwards bytes until it is frozen: then the other end seems to have vanished. */
async function startProxy(t: TestContext, to: URL): Promise<{ url: URL; freeze(): void }> {
  let frozen = false
  const sockets = new Set<Socket>()
  const forward = (from: Socket, into: Socket): void => {
    sockets.add(from)
    from.on('error', () => {})
    from.on('data', (chunk) => frozen || into.write(chunk))
    from.on('close', () => frozen || into.destroy())
  }
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname)
    forward(client, upstream)
    forward(upstream, client)
  })
  const url = await listen(t, server)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { url: new URL(`https://127.0.0.1:${url.port}`), freeze: () => void (frozen = true) }
}
async function listen(t: TestContext, server: Server): Promise<URL> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

describe('a connection over HTTP/2', () => {
  it('sends what it is given and gives what comes back', async (t) => {
    const server = await startServer(t, (asked) => answerJson(asked, 201, { ok: true }, { 'retry-after': '7' }))
    const response = await open(t, server.url).send({
      method: 'POST',
      path: '/api?x=1',
      headers: { 'x-one': '1', 'x-many': ['a', 'b'] },
      body: '{"ä":1}',
    })
    assert.equal(response.status, 201)
    assert.equal(response.headers['retry-after'], '7')
    assert.equal(await readText(response.body), '{"ok":true}')
    const [seen] = server.requests
    assert.deepEqual(
      [seen?.method, seen?.path, seen?.body, seen?.headers['x-one'], seen?.headers['x-many']],
      ['POST', '/api?x=1', '{"ä":1}', '1', 'a, b'],
    )
  })

  it('puts the path of the server before that of the request', async (t) => {
    const server = await startServer(t, answerPath)
    const connection = open(t, new URL('/k8s/clusters/c-1/', server.url))
    assert.equal(
      await fetchText(connection, request('/api/v1/nodes?watch=1')),
      '"/k8s/clusters/c-1/api/v1/nodes?watch=1"',
    )
  })

  it('says why when there is no server, and works once there is one', async (t) => {
    const gone = await startServer(t, answerPath)
    await gone.close()
    const connection = open(t, gone.url)
    await assert.rejects(connection.send(request('/a')), /ECONNREFUSED/)
    const port = Number(gone.url.port)
    await startServer(t, answerPath, { port })
    assert.equal(await fetchText(connection, request('/b')), '"/b"')
  })

  it('fails what is running when the server dies, and reaches the next one', async (t) => {
    const first = await startServer(t, ({ path, stream }) => {
      if (path === '/body') {
        stream.respond({ ':status': 200 })
        stream.write('the beginning')
      }
      if (path === '/body' || path === '/silent') return
      stream.respond({ ':status': 200 })
      stream.end()
    })
    const connection = open(t, first.url)
    const silent = assert.rejects(connection.send(request('/silent')), /closed the connection without an answer/)
    const response = await connection.send(request('/body'))
    const body = assert.rejects(readText(response.body), /lost in the middle of the answer/)
    while (first.requests.length < 2) await fetchText(connection, request('/'))
    await first.close()
    await Promise.all([silent, body])
    await startServer(t, answerPath, { port: Number(first.url.port) })
    assert.equal(await fetchText(connection, request('/after')), '"/after"')
  })

  it('finishes what is running after a GOAWAY and sends the next request elsewhere', async (t) => {
    const held: TestRequest[] = []
    const server = await startServer(t, (asked) => (asked.path === '/held' ? void held.push(asked) : answerPath(asked)))
    const connection = open(t, server.url)
    const running = fetchText(connection, request('/held'))
    await fetchText(connection, request('/'))
    for (const session of server.sessions) session.goaway(constants.NGHTTP2_NO_ERROR)
    // The frame arrives before the response on the same connection.
    for (const asked of held) answerJson(asked, 200, 'finished')
    assert.equal(await running, '"finished"')
    assert.equal(await fetchText(connection, request('/next')), '"/next"')
    assert.equal(server.sessionCount(), 2)
  })

  it('sends a request again that the server refused without looking at it', async (t) => {
    let refusals = 2
    const server = await startServer(t, (asked) =>
      refusals-- > 0 ? asked.stream.close(constants.NGHTTP2_REFUSED_STREAM) : answerPath(asked),
    )
    const connection = open(t, server.url)
    assert.equal(await fetchText(connection, request('/a', { method: 'POST', body: 'x' })), '"/a"')
    assert.deepEqual(
      server.requests.map(({ body }) => body),
      ['x', 'x', 'x'],
    )
    refusals = 100
    await assert.rejects(connection.send(request('/a')), /refused the request/)
  })

  it('opens more connections when the server takes only so many requests on one', async (t) => {
    const held: TestRequest[] = []
    const all = Promise.withResolvers<void>()
    const server = await startServer(
      t,
      (asked) => {
        held.push(asked)
        if (held.length === 20) all.resolve()
      },
      { maxConcurrentStreams: 3 },
    )
    const connection = open(t, server.url)
    const answers = Array.from({ length: 20 }, (_, index) => fetchText(connection, request(`/${index}`)))
    // None is answered before all have arrived: watches would wait as long.
    await all.promise
    for (const asked of held) answerPath(asked)
    assert.deepEqual(
      await Promise.all(answers),
      Array.from({ length: 20 }, (_, index) => `"/${index}"`),
    )
    assert.equal(server.sessionCount(), 7)
  })

  it('uses one connection for what it can carry, and leaves what it needed only for a while', async (t) => {
    const clock = createSimulatedClock()
    const held: TestRequest[] = []
    const bothHeld = Promise.withResolvers<void>()
    const server = await startServer(
      t,
      (asked) => {
        if (asked.path !== '/held') return answerPath(asked)
        if (held.push(asked) === 2) bothHeld.resolve()
      },
      { maxConcurrentStreams: 1 },
    )
    const connection = open(t, server.url, { clock })
    const answers = [fetchText(connection, request('/held')), fetchText(connection, request('/held'))]
    await bothHeld.promise
    for (const asked of held) answerPath(asked)
    await Promise.all(answers)
    assert.equal(server.sessions.size, 2)
    const [first, second] = server.sessions
    assert.ok(first && second)
    const left = new Promise((resolve) => {
      first.on('close', resolve)
      second.on('close', resolve)
    })
    await clock.advance(30_000)
    await left
    assert.equal(server.sessions.size, 1)
    assert.equal(await fetchText(connection, request('/again')), '"/again"')
    assert.equal(server.sessionCount(), 2)
  })

  it('finds out that the other end has vanished', async (t) => {
    const clock = createSimulatedClock()
    const server = await startServer(t, (asked) =>
      asked.path === '/held' ? asked.stream.respond({ ':status': 200 }) : answerPath(asked),
    )
    const proxy = await startProxy(t, server.url)
    const connection = open(t, proxy.url, { clock })
    const { body } = await connection.send(request('/held'))
    await clock.advance(30_000)
    // A response to this request means that the earlier ping was answered.
    await fetchText(connection, request('/alive'))
    await clock.advance(15_000)
    assert.equal(await fetchText(connection, request('/still alive'.replace(' ', '-'))), '"/still-alive"')
    proxy.freeze()
    const lost = assert.rejects(readText(body), /the server does not answer/)
    await clock.advance(45_000)
    await lost
    assert.equal(server.sessionCount(), 1)
  })

  it('gives up a server that accepts and says nothing', async (t) => {
    const clock = createSimulatedClock()
    const accepted = Promise.withResolvers<Socket>()
    const mute = await listen(
      t,
      createServer((socket) => accepted.resolve(socket.on('error', () => {}))),
    )
    const connection = open(t, new URL(`https://127.0.0.1:${mute.port}`), { clock })
    const sent = assert.rejects(connection.send(request('/')), /no connection within 20 s/)
    const socket = await accepted.promise
    await clock.advance(20_000)
    await sent
    socket.destroy()
    assert.equal(clock.pendingTimers(), 0)
  })

  it('fails what is running when it is closed, refuses what comes later, and leaves no timer', async (t) => {
    const clock = createSimulatedClock()
    const arrived = Promise.withResolvers<void>()
    const server = await startServer(t, () => arrived.resolve())
    const connection = open(t, server.url, { clock })
    const running = assert.rejects(connection.send(request('/')), /closed/)
    await arrived.promise
    connection.close()
    await running
    await assert.rejects(connection.send(request('/')), /the connection was closed/)
    assert.equal(clock.pendingTimers(), 0)
  })
})

describe('a request that is given up', () => {
  const giveUp = new Error('no patience')

  it('is not sent at all when that was before', async (t) => {
    const server = await startServer(t, answerPath)
    await assert.rejects(open(t, server.url).send(request('/', { signal: AbortSignal.abort(giveUp) })), giveUp)
    assert.equal(server.requests.length, 0)
  })

  it('is not waited for while the connection is opened', async (t) => {
    const accepted = Promise.withResolvers<Socket>()
    const mute = await listen(
      t,
      createServer((socket) => accepted.resolve(socket.on('error', () => {}))),
    )
    const connection = open(t, new URL(`https://127.0.0.1:${mute.port}`))
    const controller = new AbortController()
    const sent = assert.rejects(connection.send(request('/', { signal: controller.signal })), giveUp)
    const socket = await accepted.promise
    controller.abort(giveUp)
    await sent
    socket.destroy()
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  })

  it('is cancelled on the server, before the answer and in the middle of it', async (t) => {
    const arrived: ((asked: TestRequest) => void)[] = []
    const server = await startServer(t, (asked) => {
      if (asked.path === '/body') {
        asked.stream.respond({ ':status': 200 })
        asked.stream.write('the beginning')
      }
      arrived.shift()?.(asked)
    })
    const connection = open(t, server.url)
    for (const path of ['/silent', '/body']) {
      const controller = new AbortController()
      const onServer = new Promise<TestRequest>((resolve) => void arrived.push(resolve))
      const sent = connection.send(request(path, { signal: controller.signal }))
      const { stream } = await onServer
      const text = path === '/body' ? readText((await sent).body) : undefined
      const cancelled = new Promise((resolve) => stream.on('close', () => resolve(stream.rstCode)))
      controller.abort(giveUp)
      await (text ? assert.rejects(text, /middle of the answer/) : assert.rejects(sent, giveUp))
      assert.equal(await cancelled, constants.NGHTTP2_CANCEL)
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
    }
    assert.equal(server.sessionCount(), 1)
  })

  it('is cancelled on the server when its reader leaves early', async (t) => {
    const ended = Promise.withResolvers<void>()
    const server = await startServer(t, ({ stream }) => {
      stream.respond({ ':status': 200 })
      stream.write('the beginning')
      stream.on('close', ended.resolve)
    })
    const { body } = await open(t, server.url).send(request('/'))
    for await (const chunk of body) {
      assert.equal(chunk.toString(), 'the beginning')
      break
    }
    await ended.promise
  })

  it('leaves nothing on a signal that outlives it', async (t) => {
    const server = await startServer(t, answerPath)
    const connection = open(t, server.url)
    const { signal } = new AbortController()
    for (let index = 0; index < 5; index++) await fetchText(connection, request('/', { signal }))
    await assert.doesNotReject(fetchText(connection, request('/')))
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })
})

describe('trust', () => {
  const commonNameOf = ({ session }: TestRequest): string =>
    String((session.socket as TLSSocket).getPeerCertificate().subject?.CN)

  it('is refused to a server whose authority is not known, unless that is switched off', async (t) => {
    const server = await startServer(t, answerPath)
    const stranger = await createAuthority(createSystemRandom(), systemClock, 'somebody-else')
    await assert.rejects(
      open(t, server.url, { tls: () => ({ ca: stranger.pair.certificatePem, rejectUnauthorized: true }) }).send(
        request('/'),
      ),
      /certificate/,
    )
    assert.equal(
      await fetchText(open(t, server.url, { tls: () => ({ rejectUnauthorized: false }) }), request('/')),
      '"/"',
    )
  })

  it('goes by the name that was asked for', async (t) => {
    const pair = await authority.issueServer({ commonName: 'x', dnsNames: ['api.example.com'], ipAddresses: [] })
    const server = await startServer(t, answerPath, pair)
    await assert.rejects(open(t, server.url).send(request('/')), /does not match certificate|altnames/i)
    assert.equal(
      await fetchText(
        open(t, server.url, { tls: () => ({ ...trusting, serverName: 'api.example.com' }) }),
        request('/'),
      ),
      '"/"',
    )
  })

  it('is asked for with a client certificate, and anew once that has changed', async (t) => {
    const server = await startServer(t, (asked) => answerJson(asked, 200, commonNameOf(asked)), {
      clientCa: authority.pair.certificatePem,
    })
    const asUser = async (user: string): Promise<TlsSettings> => {
      const { certificatePem, keyPem } = await authority.issueClient({ user, groups: [] })
      return { ...trusting, cert: certificatePem, key: keyPem }
    }
    const [alice, bob] = [await asUser('alice'), await asUser('bob')]
    let tls = alice
    const connection = open(t, server.url, { tls: () => tls })
    assert.equal(await fetchText(connection, request('/')), '"alice"')
    const [first] = server.sessions
    assert.ok(first)
    const left = new Promise((resolve) => first.on('close', resolve))
    tls = bob
    assert.equal(await fetchText(connection, request('/')), '"bob"')
    await left
    assert.equal(server.sessions.size, 1)
  })
})

describe('a connection over HTTP/1.1', () => {
  const startHttp1 = (t: TestContext, handle: (asked: IncomingMessage, answer: ServerResponse) => void): Promise<URL> =>
    listen(t, createHttpServer(handle))

  it('sends what it is given and gives what comes back', async (t) => {
    const url = await startHttp1(t, (asked, answer) => {
      const chunks: Buffer[] = []
      asked.on('data', (chunk: Buffer) => void chunks.push(chunk))
      asked.on('end', () =>
        answer
          .writeHead(201)
          .end(`${asked.method} ${asked.url} ${String(asked.headers['x-one'])} ${Buffer.concat(chunks).toString()}`),
      )
    })
    const response = await open(t, url).send({
      method: 'POST',
      path: '/api?x=1',
      headers: { 'x-one': '1' },
      body: 'hello',
    })
    assert.equal(response.status, 201)
    assert.equal(await readText(response.body), 'POST /api?x=1 1 hello')
  })

  it('fails when the connection is lost in the middle of the answer', async (t) => {
    const url = await startHttp1(t, (_asked, answer) => {
      answer.writeHead(200).write('the beginning', () => answer.destroy())
    })
    const { body } = await open(t, url).send(request('/'))
    await assert.rejects(readText(body))
  })

  it('is given up with the reason of the signal, and refuses what comes after it was closed', async (t) => {
    const arrived = Promise.withResolvers<void>()
    const url = await startHttp1(t, () => arrived.resolve())
    const connection = open(t, url)
    const controller = new AbortController()
    const sent = assert.rejects(connection.send(request('/', { signal: controller.signal })), /no patience/)
    await arrived.promise
    controller.abort(new Error('no patience'))
    await sent
    connection.close()
    await assert.rejects(connection.send(request('/')), /the connection was closed/)
  })
})
