import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import type { ClientHttp2Stream } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import type { Readable, Writable } from 'node:stream'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../base/simulated-clock.ts'
import {
  FLAG,
  FRAME,
  LARGEST_WINDOW,
  openRawHttp2,
  requestFrame,
  SETTING,
  settingsFrame,
  windowFrame,
} from '../testing/raw-http2.ts'
import { CONFIG_MAP, storedUnderTest } from './testing/door-under-test.ts'
import { createPki, openBench, readAll, until } from './testing/describe-http-server.ts'
import type { Bench } from './testing/describe-http-server.ts'
import { DEFAULT_REQUEST_LIMITS, REQUEST_BYTES } from './limits.ts'
import type { RequestLimits } from './limits.ts'

const pki = await createPki()
const ca = pki.authority.pair.certificatePem
const PATH = '/api/v1/namespaces/default/configmaps'
const MIB = 1024 * 1024

/** A request whose body is still open, and whose response is read only when the test reads it. */
type OpenRequest = {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly isCut: boolean
  readonly answer: Readable
  write(text: string): void
  end(text?: string): void
  abort(): void
}

type Given = {
  readonly bench: Bench
  readonly clock: SimulatedClock
  open(user: string, method?: string, path?: string): OpenRequest
}

/** Every request has its own connection, so that unread data does not block others. */
const OPENERS = {
  'HTTP/1.1 with TLS': (
    t: TestContext,
    { server }: Bench,
    headers: Record<string, string>,
    method: string,
    path: string,
  ): OpenRequest => {
    const request = httpsRequest({
      host: '127.0.0.1',
      port: server.port,
      ca,
      method,
      path,
      headers: { ...headers, connection: 'keep-alive' },
      agent: false,
    })
    t.after(() => request.destroy())
    request.flushHeaders()
    return follow(request, 'response', ([response]) => {
      const { statusCode, headers: got } = response as { statusCode: number; headers: Record<string, unknown> }
      return { status: statusCode, headers: got, answer: response as Readable }
    })
  },
  'HTTP/2': (
    t: TestContext,
    { server }: Bench,
    headers: Record<string, string>,
    method: string,
    path: string,
  ): OpenRequest => {
    const session = connectHttp2(server.address, { ca })
    session.on('error', () => {})
    t.after(() => session.destroy())
    const stream: ClientHttp2Stream = session.request(
      { ...headers, ':method': method, ':path': path },
      { endStream: false },
    )
    return follow(stream, 'response', ([got]) => ({
      status: Number((got as Record<string, unknown>)[':status']),
      headers: got as Record<string, unknown>,
      answer: stream,
    }))
  },
}

function follow(
  request: Pick<Writable, 'on' | 'write' | 'end'> & { destroy(): unknown },
  event: string,
  read: (args: unknown[]) => { status: number; headers: Record<string, unknown>; answer: Readable },
): OpenRequest {
  let got: ReturnType<typeof read> | undefined
  let isCut = false
  request.on('error', () => {}).on('close', () => void (isCut = true))
  request.on(event, (...args: unknown[]) => {
    got = read(args)
    got.answer.on('error', () => {}).on('close', () => void (isCut = true))
  })
  return {
    get status() {
      return got?.status
    },
    get headers() {
      return got?.headers ?? {}
    },
    get isCut() {
      return isCut
    },
    get answer() {
      return got?.answer ?? assert.fail('there is no answer yet')
    },
    write: (text) => void request.write(text),
    end: (text) => void request.end(text),
    abort: () => void request.destroy(),
  }
}

for (const transport of ['HTTP/1.1 with TLS', 'HTTP/2'] as const) {
  const openServer = async (t: TestContext, limits: Partial<RequestLimits> = {}): Promise<Given> => {
    const clock = createSimulatedClock()
    const bench = await openBench(transport, pki, {
      clock,
      requestLimits: { ...DEFAULT_REQUEST_LIMITS, ...limits },
      authenticate: ({ bearerToken = 'anonymous' }) => {
        bench.credentials.push({ bearerToken })
        return { user: { name: bearerToken, groups: bearerToken === 'admin' ? ['system:masters'] : [] } }
      },
    })
    t.after(async () => {
      const closed = bench.close()
      // Unread responses are waited for; this clock only moves when the test advances it.
      await clock.advance(60_000)
      await closed
    })
    const open: Given['open'] = (user, method = 'POST', path = PATH) =>
      OPENERS[transport](t, bench, { authorization: `Bearer ${user}` }, method, path)
    return { bench, clock, open }
  }
  /** Creates objects for a list of this size. */
  const fill = ({ door }: Bench, sizeBytes: number): void => {
    for (let index = 0; index * MIB < sizeBytes; index++) {
      const object = storedUnderTest(CONFIG_MAP, `n${index}`, index + 1, { data: { x: 'y'.repeat(MIB) } })
      door.objects.set(`${CONFIG_MAP.storage}/default/n${index}`, object)
    }
  }
  const statusOf = async (request: OpenRequest): Promise<number | undefined> => {
    await until(() => request.status !== undefined || request.isCut)
    return request.status
  }
  const list = async (given: Given, user: string): Promise<OpenRequest> => {
    const request = given.open(user, 'GET')
    request.end()
    await statusOf(request)
    return request
  }

  describe(`over ${transport}`, () => {
    test('a body that makes no progress is given up with 408', async (t) => {
      const { bench, clock, open } = await openServer(t, { stalledBodyMs: 30_000 })
      const request = open('me')
      request.write('{"data":')
      await until(() => bench.credentials.length === 1 && clock.pendingTimers() > 0)
      // The sent piece may arrive later than the head.
      await clock.advance(29_000)
      assert.equal(request.status, undefined)
      while (request.status === undefined) await clock.advance(1000)
      assert.equal(request.status, 408)
      assert.equal(
        (JSON.parse(await readAll(request.answer)) as { message: string }).message,
        'the client sent nothing of the body of the request for 30 s',
      )
      if (transport !== 'HTTP/2') assert.equal(request.headers['connection'], 'close')
      await until(() => request.isCut)
      assert.deepEqual(bench.door.requests, [])
    })

    test('bodies of one user take just so much memory', async (t) => {
      const { bench, open } = await openServer(t, { heldPerUserBytes: MIB })
      const first = open('me')
      first.write(`{"data":{"x":"${'y'.repeat(MIB / 2)}`)
      await until(() => bench.credentials.length === 1)
      const held = open('me')
      held.write(`{"data":{"x":"${'y'.repeat(MIB / 2)}`)
      // One of the two is rejected: the one that arrives last.
      await until(() => first.status !== undefined || held.status !== undefined)
      const [refused, kept] = first.status === undefined ? [held, first] : [first, held]
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1'])
      const { reason, message } = JSON.parse(await readAll(refused.answer)) as { reason: string; message: string }
      assert.deepEqual([reason, message], ['TooManyRequests', 'Too many requests, please try again later.'])
      const other = open('you')
      other.end('{}')
      assert.equal(await statusOf(other), 201, 'others are not concerned')
      kept.end('"}}')
      assert.equal(await statusOf(kept), 201)
    })

    test('what was held is free again when the client goes', async (t) => {
      const { bench, open } = await openServer(t, { heldPerUserBytes: MIB })
      const first = open('me')
      first.write(`{"data":{"x":"${'y'.repeat(MIB - 2 * REQUEST_BYTES)}`)
      await until(() => bench.credentials.length === 1)
      first.abort()
      await until(() => first.isCut)
      let status: number | undefined
      while (status !== 201) {
        const next = open('me')
        next.end(`{"data":{"x":"${'y'.repeat(MIB / 2)}"}}`)
        status = await statusOf(next)
        assert.ok(status === 201 || status === 429)
      }
    })

    test('bodies of all users take just so much memory, and administrators are never refused', async (t) => {
      const given = await openServer(t, { heldPerUserBytes: MIB, heldBytes: 2 * MIB })
      const { open, bench } = given
      fill(bench, 16 * MIB)
      // An unread list counts as well, whatever its size.
      await list(given, 'a')
      const refused = open('b')
      refused.end('{}')
      assert.equal(await statusOf(refused), 429)
      const admin = open('admin')
      admin.end('{}')
      assert.equal(await statusOf(admin), 201)
      const health = open('b', 'GET', '/readyz')
      health.end()
      assert.equal(await statusOf(health), 200)
      const watch = open('b', 'GET', `${PATH}?watch=1`)
      watch.end()
      assert.equal(await statusOf(watch), 200)
    })

    test('a list that is not read counts until it is', async (t) => {
      const given = await openServer(t, { heldPerUserBytes: MIB })
      fill(given.bench, 16 * MIB)
      const first = await list(given, 'me')
      assert.equal(first.status, 200)
      assert.equal((await list(given, 'me')).status, 429)
      assert.equal((await list(given, 'you')).status, 200)
      assert.equal((JSON.parse(await readAll(first.answer)) as { items: unknown[] }).items.length, 16)
      let again = await list(given, 'me')
      while (again.status === 429) again = await list(given, 'me')
      assert.equal(again.status, 200)
    })

    test('of many lists that come at once only as many are made as there is room for', async (t) => {
      const given = await openServer(t, { heldPerUserBytes: 8 * MIB })
      fill(given.bench, 6 * MIB)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const { execute } = given.bench.door
      given.bench.door.execute = async (asked, read) => {
        const performed = await execute(asked, read)
        await released
        return performed
      }
      const asking = Array.from({ length: 8 }, () => list(given, 'me'))
      await until(() => given.bench.door.requests.length === 8)
      release()
      const statuses = (await Promise.all(asking)).map(({ status }) => status)
      assert.deepEqual(
        statuses.toSorted((a = 0, b = 0) => a - b),
        [200, 200, 429, 429, 429, 429, 429, 429],
      )
    })

    test('a client that does not read its answer is cut off, and holds nothing any more', async (t) => {
      const given = await openServer(t, { unreadAnswerMs: 30_000, heldPerUserBytes: MIB })
      fill(given.bench, 32 * MIB)
      const request = await list(given, 'me')
      assert.equal(request.status, 200)
      await given.clock.advance(29_000)
      assert.equal((await list(given, 'me')).status, 429)
      // What the operating system buffers at first counts as progress.
      let again = await list(given, 'me')
      for (; again.status === 429; again = await list(given, 'me')) await given.clock.advance(30_000)
      assert.equal(again.status, 200)
      request.answer.resume()
      await until(() => request.isCut)
      assert.ok(request.answer.errored, 'it must not look complete')
    })

    test('who may not write is told so before any of the body has come', async (t) => {
      const { open } = await openServer(t)
      for (const [method, path] of [
        ['POST', PATH],
        ['PUT', `${PATH}/a`],
        ['PATCH', `${PATH}/a`],
        ['DELETE', `${PATH}/a`],
        ['DELETE', PATH],
      ] as const) {
        const request = open('nobody', method, path)
        assert.equal(await statusOf(request), 403, `${method} ${path}`)
      }
    })
  })
}

test('a client of HTTP/2 that does not even read its socket holds nothing for ever', async (t) => {
  const clock = createSimulatedClock()
  const bench = await openBench('HTTP/2', pki, {
    clock,
    requestLimits: { ...DEFAULT_REQUEST_LIMITS, unreadAnswerMs: 30_000, heldPerUserBytes: 16 * MIB },
  })
  const client = await openRawHttp2({ port: bench.server.port, ca })
  t.after(async () => {
    client.socket.destroy()
    const closed = bench.close()
    await clock.advance(60_000)
    await closed
  })
  bench.door.objects.set(
    `${CONFIG_MAP.storage}/default/a`,
    storedUnderTest(CONFIG_MAP, 'a', 1, { data: { x: 'y'.repeat(MIB) } }),
  )
  const me = { headers: { authorization: 'Bearer me' } }
  assert.equal((await bench.ask(`${PATH}/a`, me)).status, 200)
  // HTTP/2 flow control has room for everything.
  client.send(settingsFrame(SETTING.initialWindowSize, LARGEST_WINDOW), windowFrame(0, LARGEST_WINDOW - 65_535))
  await until(() => client.frames.some(({ type, flags }) => type === FRAME.settings && flags === FLAG.ack))
  client.socket.pause()
  for (let index = 0; index < 64; index++)
    client.send(requestFrame(2 * index + 1, { ':path': `${PATH}/a`, authorization: 'Bearer me' }, { endStream: true }))
  await until(() => bench.credentials.length === 65)
  assert.equal((await bench.ask(`${PATH}/a`, me)).status, 429)
  await clock.advance(30_000)
  let { status } = await bench.ask(`${PATH}/a`, me)
  while (status === 429) ({ status } = await bench.ask(`${PATH}/a`, me))
  assert.equal(status, 200)
})
