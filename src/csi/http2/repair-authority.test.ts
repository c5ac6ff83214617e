import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import http2 from 'node:http2'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import * as grpc from '@grpc/grpc-js'
import { CLIENT_PREFACE, FLAG, FRAME_TYPE, formatFrame } from './frames.ts'
import { encodeHeaderBlock } from './hpack-encoder.ts'
import { repairAuthority } from './repair-authority.ts'

const ODD = '/csi/csi.sock'

type Seen = { headers: IncomingHttpHeaders; bodyBytes: number; trailers: IncomingHttpHeaders }

// Answers every request with the headers that it received.
function createMirror(settings?: http2.Settings): http2.Http2Server {
  const server = http2.createServer(settings ? { settings } : {})
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    let trailers: IncomingHttpHeaders = {}
    stream.on('trailers', (received) => (trailers = received))
    stream.on('error', () => {})
    buffer(stream).then(
      (body) => {
        stream.respond({ ':status': 200 })
        stream.end(JSON.stringify({ headers, bodyBytes: body.length, trailers } satisfies Seen))
      },
      () => {},
    )
  })
  return server
}

type Wrap = (socket: Duplex) => Duplex

// Listens on a unix socket, and passes every connection through `wrap` to `accept`.
async function listen(
  t: TestContext,
  accept: (connection: Duplex) => void,
  wrap: Wrap = repairAuthority,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'repair-authority-'))
  const path = join(folder, 'csi.sock')
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    accept(wrap(socket))
  })
  server.listen(path)
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await rm(folder, { recursive: true })
  })
  return path
}

const listenMirror = (t: TestContext, wrap?: Wrap, settings?: http2.Settings): Promise<string> => {
  const mirror = createMirror(settings)
  return listen(t, (connection) => mirror.emit('connection', connection), wrap)
}

function connect(t: TestContext, path: string): ClientHttp2Session {
  const session = http2.connect('http://localhost', { createConnection: () => net.connect(path) })
  t.after(() => session.destroy())
  return session
}

type Request = {
  headers?: Record<string, string>
  authority?: string
  body?: Buffer
  trailers?: Record<string, string>
}

async function call(session: ClientHttp2Session, { headers = {}, authority, body, trailers }: Request): Promise<Seen> {
  const stream = session.request(
    { ':method': 'POST', ':path': '/', ...(authority === undefined ? {} : { ':authority': authority }), ...headers },
    { endStream: false, waitForTrailers: trailers !== undefined },
  )
  stream.on('wantTrailers', () => stream.sendTrailers(trailers ?? {}))
  stream.end(body)
  return JSON.parse((await buffer(stream)).toString())
}

describe("Node's server behind the filter", () => {
  test('would refuse an odd authority without it', async (t) => {
    const session = connect(t, await listenMirror(t, (socket) => socket))
    await assert.rejects(call(session, { authority: ODD }), /NGHTTP2_PROTOCOL_ERROR/)
  })

  for (const authority of [ODD, '', 'unix:/csi/csi.sock', 'passthrough:///unix:///csi/csi.sock']) {
    test(`sees localhost for the authority '${authority}'`, async (t) => {
      const seen = await call(connect(t, await listenMirror(t)), { authority })
      assert.equal(seen.headers[':authority'], 'localhost')
      assert.equal(seen.headers[':path'], '/')
    })
  }

  test('sees an acceptable authority as it was sent', async (t) => {
    const path = await listenMirror(t)
    for (const authority of ['%2Fcsi%2Fcsi.sock', 'driver.example:80']) {
      assert.equal((await call(connect(t, path), { authority })).headers[':authority'], authority)
    }
  })

  test('sees a host instead of an authority as it was sent', async (t) => {
    const { headers } = await call(connect(t, await listenMirror(t)), { headers: { host: 'driver.example' } })
    assert.equal(headers.host, 'driver.example')
    assert.equal(headers[':authority'], undefined)
  })

  test('sees localhost when a client names no server at all', async (t) => {
    const authorities: unknown[] = []
    const server = http2.createServer()
    server.on('stream', (stream, headers) => {
      authorities.push(headers[':authority'])
      stream.respond({ ':status': 200 }, { endStream: true })
    })
    const client = net.connect(await listen(t, (connection) => server.emit('connection', connection)))
    client.write(Buffer.concat([rawStart(), rawRequest({ ':method': 'GET', ':scheme': 'http', ':path': '/' })]))
    await once(server, 'stream')
    assert.deepEqual(authorities, ['localhost'])
  })

  for (const authority of [ODD, 'localhost']) {
    describe(`on one connection with the authority '${authority}'`, () => {
      test('sees the headers of sequential requests, repeated and changing', async (t) => {
        const session = connect(t, await listenMirror(t))
        for (let round = 0; round < 40; round++) {
          // More new values than fit into the table of 4096 bytes, so that entries are evicted and indexes shift.
          const headers = {
            'x-same': 'constant',
            'x-new': `${round}`.repeat(100),
            [`x-name-${round % 7}`]: `${round % 3}`,
          }
          assertSeen(await call(session, { authority, headers }), { authority: 'localhost', headers, bodyBytes: 0 })
        }
      })

      test('sees concurrent requests with bodies of 1 MiB and trailers', async (t) => {
        const session = connect(t, await listenMirror(t))
        const body = Buffer.alloc(1024 * 1024, 'body')
        const calls = Array.from({ length: 6 }, async (_, index) => {
          const headers = { 'x-index': `${index}`, 'x-same': 'constant' }
          const trailers = { 'x-checksum': `sum-${index}`, 'x-same': 'trailer' }
          const seen = await call(session, { authority, headers, body, trailers })
          assertSeen(seen, { authority: 'localhost', headers, bodyBytes: body.length })
          assert.deepEqual({ ...seen.trailers }, trailers)
        })
        await Promise.all(calls)
      })

      test('sees headers that need several frames', async (t) => {
        const session = connect(t, await listenMirror(t))
        const headers = { 'x-long': 'l'.repeat(25_000), 'x-other': '~'.repeat(25_000) }
        for (let round = 0; round < 3; round++) {
          assertSeen(await call(session, { authority, headers }), { authority: 'localhost', headers, bodyBytes: 0 })
        }
      })

      test('can announce a header table of any size', async (t) => {
        for (const headerTableSize of [0, 100, 65536]) {
          const session = connect(t, await listenMirror(t, undefined, { headerTableSize }))
          for (let round = 0; round < 5; round++) {
            const headers = { 'x-same': 'constant', 'x-new': `${round}`.repeat(50) }
            assertSeen(await call(session, { authority, headers }), { authority: 'localhost', headers, bodyBytes: 0 })
          }
        }
      })
    })
  }

  test('keeps what a client marks as sensitive out of all tables', async (t) => {
    const server = http2.createServer()
    const path = await listen(t, (connection) => server.emit('connection', connection))
    server.on('stream', (stream) => stream.respond({ ':status': 200 }, { endStream: true }))
    const session = connect(t, path)
    session
      .request({ ':authority': ODD, 'x-secret': 's', 'x-public': 'p', [http2.sensitiveHeaders]: ['x-secret'] })
      .end()
    const [, headers] = (await once(server, 'stream')) as [
      unknown,
      IncomingHttpHeaders & { [http2.sensitiveHeaders]: string[] },
    ]
    assert.deepEqual(headers[http2.sensitiveHeaders], ['x-secret'])
  })

  test('goes on serving others after garbage and broken connections', async (t) => {
    const path = await listenMirror(t)
    const oddRequest = rawRequest({ ':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': ODD })
    const continuation = formatFrame(
      { type: FRAME_TYPE.continuation, flags: FLAG.endHeaders, streamId: 1 },
      Buffer.alloc(3),
    )
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.alloc(100_000, 'garbage'),
      Buffer.concat([rawStart(), Buffer.alloc(1000, 0xff)]),
      Buffer.concat([rawStart(), oddRequest, Buffer.alloc(1000, 0xff)]),
      Buffer.concat([rawStart(), oddRequest, continuation]),
    ]) {
      const client = net.connect(path)
      client.on('error', () => {})
      client.resume()
      client.write(bytes)
      await once(client, 'close')
    }
    assert.equal((await call(connect(t, path), { authority: ODD })).headers[':authority'], 'localhost')
  })

  test('lets go of a connection that breaks off within a frame', async (t) => {
    const server = createMirror()
    let accepted: Duplex | undefined
    const path = await listen(t, (connection) => {
      accepted = connection
      server.emit('connection', connection)
    })
    const request = rawRequest({ ':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': ODD })
    for (const whole of [Buffer.concat([rawStart(), request]), Buffer.concat([rawStart(), request, request])]) {
      const sessionOpened = once(server, 'session')
      const client = net.connect(path)
      client.resume()
      client.end(whole.subarray(0, -5))
      const [session] = await sessionOpened
      if (!session.destroyed) await once(session, 'close')
      assert.ok(accepted)
      if (!accepted.closed) await once(accepted, 'close')
    }
  })
})

describe('a server of grpc-js behind the filter', () => {
  const method = { path: '/test.Echo/Say', requestStream: false, responseStream: false } as const
  const asIs = (bytes: Buffer): Buffer => bytes

  for (const authority of [ODD, 'localhost']) {
    test(`answers a client with the authority '${authority}'`, async (t) => {
      const server = new grpc.Server()
      const definition = {
        Say: {
          ...method,
          requestSerialize: asIs,
          requestDeserialize: asIs,
          responseSerialize: asIs,
          responseDeserialize: asIs,
        },
      }
      server.addService(definition, {
        Say: (call: grpc.ServerUnaryCall<Buffer, Buffer>, answer: grpc.sendUnaryData<Buffer>) => {
          answer(
            null,
            Buffer.concat([Buffer.from(`${call.metadata.get('x-index').join()} ${call.getHost()} `), call.request]),
          )
        },
      })
      const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure())
      const path = await listen(t, (connection) => injector.injectConnection(connection))
      const client = new grpc.Client(`unix:${path}`, grpc.credentials.createInsecure(), {
        'grpc.default_authority': authority,
      })
      t.after(() => {
        client.close()
        server.forceShutdown()
      })
      const say = (index: number): Promise<string> =>
        new Promise((resolve, reject) => {
          const metadata = new grpc.Metadata()
          metadata.set('x-index', `${index}`)
          client.makeUnaryRequest(method.path, asIs, asIs, Buffer.from('hello'), metadata, (error, reply) =>
            error ? reject(error) : resolve(String(reply)),
          )
        })
      assert.equal(await say(0), '0 localhost hello')
      const replies = await Promise.all(Array.from({ length: 50 }, (_, index) => say(index)))
      assert.deepEqual(
        replies,
        Array.from({ length: 50 }, (_, index) => `${index} localhost hello`),
      )
    })
  }
})

describe('the filtered connection', () => {
  // `client` is the other end of the filtered socket.
  const createFiltered = (): { client: Duplex; filtered: Duplex } => {
    const [client, socket] = duplexPair()
    return { client, filtered: repairAuthority(socket) }
  }

  test('lets the server speak before the client', async () => {
    const { client, filtered } = createFiltered()
    filtered.write('settings')
    assert.equal(`${(await once(client, 'data'))[0]}`, 'settings')
  })

  test("passes the end of the client's bytes, and still takes the server's", async () => {
    const { client, filtered } = createFiltered()
    client.end('last words')
    assert.equal((await buffer(filtered)).toString(), 'last words')
    filtered.end('answer')
    assert.equal((await buffer(client)).toString(), 'answer')
    if (!filtered.closed) await once(filtered, 'close')
  })

  test("passes the end of the server's bytes, and still takes the client's", async () => {
    const { client, filtered } = createFiltered()
    filtered.end('goodbye')
    assert.equal((await buffer(client)).toString(), 'goodbye')
    client.end('late')
    assert.equal((await buffer(filtered)).toString(), 'late')
  })

  test('keeps what was read when both ends are done before the server looks', async (t) => {
    const accepted = Promise.withResolvers<{ socket: Duplex; filtered: Duplex }>()
    const path = await listen(
      t,
      () => {},
      (socket) => {
        const filtered = repairAuthority(socket)
        accepted.resolve({ socket, filtered })
        return filtered
      },
    )
    const client = net.connect(path)
    client.end('early')
    client.resume()
    const { socket, filtered } = await accepted.promise
    filtered.end()
    await once(socket, 'close')
    assert.equal((await buffer(filtered)).toString(), 'early')
  })

  test('closes with its socket, and its socket with it', async () => {
    for (const first of ['socket', 'filtered'] as const) {
      const [, socket] = duplexPair()
      const filtered = repairAuthority(socket)
      const parts = { socket, filtered }
      const closed = Promise.all([once(socket, 'close'), once(filtered, 'close')])
      parts[first].destroy()
      await closed
    }
  })

  test('fails with the error of its socket', async () => {
    const [, socket] = duplexPair()
    const filtered = repairAuthority(socket)
    const failed = once(filtered, 'error')
    socket.destroy(new Error('connection reset'))
    assert.match(`${(await failed)[0]}`, /connection reset/)
  })

  test('holds the client back while the server does not read', async () => {
    const { client, filtered } = createFiltered()
    const chunk = Buffer.alloc(64 * 1024)
    let sentBytes = 0
    for (let round = 0; round < 100 && !client.writableNeedDrain; round++) {
      client.write(chunk)
      sentBytes += chunk.length
      await new Promise(setImmediate)
    }
    assert.ok(client.writableNeedDrain, 'the client never had to wait')
    assert.ok(filtered.readableLength <= 2 * chunk.length + filtered.readableHighWaterMark)
    client.end()
    assert.equal((await buffer(filtered)).length, sentBytes)
  })

  test('tells that writes are done only once all of them are', async () => {
    const unfinished: Array<() => void> = []
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => void unfinished.push(done) })
    const filtered = repairAuthority(socket)
    let done = 0
    filtered.cork()
    for (let index = 0; index < 3; index++) filtered.write('bytes', () => done++)
    filtered.uncork()
    for (let finished = 0; finished < 3; finished++) {
      assert.equal(done, 0)
      unfinished.shift()?.()
      await new Promise(setImmediate)
    }
    assert.equal(done, 3)
  })

  test('holds the server back while the client does not read', async () => {
    const { client, filtered } = createFiltered()
    const chunk = Buffer.alloc(64 * 1024)
    let sentBytes = 0
    for (let round = 0; round < 100 && !filtered.writableNeedDrain; round++) {
      filtered.write(chunk)
      sentBytes += chunk.length
      await new Promise(setImmediate)
    }
    assert.ok(filtered.writableNeedDrain, 'the server never had to wait')
    filtered.end()
    assert.equal((await buffer(client)).length, sentBytes)
  })
})

const rawStart = (): Buffer =>
  Buffer.concat([CLIENT_PREFACE, formatFrame({ type: 4, flags: 0, streamId: 0 }, Buffer.alloc(0))])

function rawRequest(headers: Record<string, string>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value, neverIndexed: false }))
  const flags = FLAG.endHeaders | FLAG.endStream
  return formatFrame({ type: FRAME_TYPE.headers, flags, streamId: 1 }, encodeHeaderBlock({ tableSizes: [], fields }))
}

type Expected = { authority: string; headers: Record<string, string>; bodyBytes: number }

function assertSeen(seen: Seen, { authority, headers, bodyBytes }: Expected): void {
  assert.equal(seen.headers[':authority'], authority)
  assert.equal(seen.bodyBytes, bodyBytes)
  const own = Object.entries(seen.headers).filter(([name]) => name.startsWith('x-'))
  assert.deepEqual(Object.fromEntries(own), headers)
}
