import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { openRawHttp2 } from '../testing/raw-http2.ts'
import { CONFIG_MAP, storedUnderTest } from './testing/door-under-test.ts'
import { createPki, linesOf, openBench, until } from './testing/describe-http-server.ts'
import { DEFAULT_CONNECTION_LIMITS } from './limits.ts'
import type { ConnectionLimits } from './limits.ts'

const pki = await createPki()
const ca = pki.authority.pair.certificatePem
const PATH = '/api/v1/namespaces/default/configmaps'
const stored = storedUnderTest(CONFIG_MAP, 'a', 7)
const ME = { headers: { authorization: 'Bearer me' } }

const openTls = async (port: number): Promise<Socket> => {
  const socket = connectTls({ port, host: '127.0.0.1', ca })
  await once(socket, 'secureConnect')
  return socket
}

/** What a client without credentials can do to a connection. */
const IDLERS: [what: string, open: (port: number) => Promise<Socket>][] = [
  [
    'without a TLS handshake',
    async (port) => {
      const socket = connectTcp({ port, host: '127.0.0.1' })
      await once(socket, 'connect')
      return socket
    },
  ],
  ['without a request', openTls],
  [
    'with half the head of a request',
    async (port) => {
      const socket = await openTls(port)
      socket.write('GET /version HTTP/1.1\r\nHost: x\r\nX-')
      return socket
    },
  ],
  ['with HTTP/2 and no request', async (port) => (await openRawHttp2({ port, ca })).socket],
  [
    'with a request that was refused',
    async (port) => {
      const socket = await openTls(port)
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bad\r\n\r\n`)
      await once(socket, 'data')
      return socket
    },
  ],
  [
    'with a body that was refused and goes on',
    async (port) => {
      const socket = await openTls(port)
      socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bad\r\nContent-Length: 1000\r\n\r\n`)
      await once(socket, 'data')
      return socket
    },
  ],
]

async function openServer(
  t: TestContext,
  transport: 'HTTP/1.1 with TLS' | 'HTTP/2',
  limits: Partial<ConnectionLimits>,
) {
  const clock = createSimulatedClock()
  const bench = await openBench(transport, pki, {
    clock,
    connectionLimits: { ...DEFAULT_CONNECTION_LIMITS, ...limits },
  })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await bench.close()
  })
  const track = (socket: Socket): Socket => {
    sockets.push(socket.on('error', () => {}))
    return socket
  }
  return { bench, clock, track }
}

for (const transport of ['HTTP/1.1 with TLS', 'HTTP/2'] as const) {
  describe(`over ${transport}`, () => {
    for (const [what, open] of IDLERS) {
      test(`connections ${what} keep nobody out, and cut nobody off`, async (t) => {
        const { bench, track } = await openServer(t, transport, { perAddress: 6 })
        const { body } = await bench.open(`${PATH}?watch=1`, ME)
        const next = linesOf(body)
        for (let count = 0; count < 20; count++) track(await open(bench.server.port))
        const other = await openTls(bench.server.port)
        track(other).write('GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer you\r\n\r\n')
        const [answer] = (await once(other, 'data')) as [Buffer]
        assert.match(answer.toString(), /^HTTP\/1\.1 200 /)
        bench.door.streams[0]?.push({ type: 'ADDED', stored })
        assert.match((await next()) ?? '', /^\{"type":"ADDED"/)
      })
    }
  })
}

describe('a connection that never asks for anything is closed', () => {
  for (const [what, open] of IDLERS.slice(0, 4)) {
    test(what, async (t) => {
      const { bench, clock, track } = await openServer(t, 'HTTP/2', { firstRequestMs: 10_000 })
      const { body } = await bench.open(`${PATH}?watch=1`, ME)
      body.on('error', () => {})
      let isClosed = false
      track(await open(bench.server.port))
        .resume()
        .on('close', () => void (isClosed = true))
      await clock.advance(9999)
      assert.equal(isClosed, false)
      await clock.advance(1)
      await until(() => isClosed)
      assert.equal(bench.door.streams[0]?.isClosed, false, 'a watch is not touched')
    })
  }
})

test('a connection on which only strangers have asked is closed after a while', async (t) => {
  const { bench, clock, track } = await openServer(t, 'HTTP/2', { idleStrangerMs: 120_000 })
  await bench.ask('/version', ME)
  const socket = await openTls(bench.server.port)
  track(socket).write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  const closed = once(socket, 'close')
  await clock.advance(120_000)
  await closed
  assert.equal((await bench.ask('/version', ME)).status, 200, 'who has been authenticated keeps theirs')
})
