import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { FLAG, FRAME, frameOf, headerBlock, openRawHttp2, requestFrame, resetFrame } from '../testing/raw-http2.ts'
import type { RawHttp2 } from '../testing/raw-http2.ts'
import { createPki, openBench, until } from './testing/describe-http-server.ts'
import type { Bench } from './testing/describe-http-server.ts'
import { REQUESTS_PER_CONNECTION } from './limits.ts'

// Limits that Node's HTTP/2 library enforces. These tests detect an update that no longer does.

const pki = await createPki()
const PATH = '/api/v1/namespaces/default/configmaps'
const PING = frameOf(FRAME.ping, 0, 0, Buffer.alloc(8))
const SETTINGS = frameOf(FRAME.settings, 0, 0)

async function openServer(t: TestContext): Promise<{ bench: Bench; client: RawHttp2 }> {
  const bench = await openBench('HTTP/2', pki)
  const client = await openRawHttp2({ port: bench.server.port, ca: pki.authority.pair.certificatePem })
  t.after(async () => {
    client.socket.destroy()
    await bench.close()
  })
  return { bench, client }
}

/** Sends until the server closes the connection; fails if the server accepts everything. */
async function flood(client: RawHttp2, frames: Buffer, most: number): Promise<number> {
  let sent = 0
  for (; sent < most && !client.isClosed; sent++) {
    if (client.socket.write(frames)) continue
    // A server that stops reading is as good as one that closes: unread data costs it nothing.
    await Promise.race([
      new Promise((resolve) => client.socket.once('drain', resolve)),
      new Promise((resolve) => client.socket.once('close', resolve)),
    ])
  }
  return sent
}

const repeat = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame))
const streamIds = (count: number): number[] => Array.from({ length: count }, (_, index) => 2 * index + 1)
const statusFrames = ({ frames }: RawHttp2): number => frames.filter(({ type }) => type === FRAME.headers).length

describe('an HTTP/2 connection is closed, and others are served, after', () => {
  const served = async (bench: Bench): Promise<void> => assert.equal((await bench.ask('/version')).status, 200)

  test('rapid resets', async (t) => {
    const { bench, client } = await openServer(t)
    for (const id of streamIds(20_000)) {
      if (client.isClosed) break
      client.send(
        requestFrame(id, { ':path': `${PATH}/a` }, { endStream: true }),
        resetFrame(id, constants.NGHTTP2_CANCEL),
      )
      if (id % 200 === 1) await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => client.isClosed)
    assert.ok(bench.door.requests.length < 2000, `${bench.door.requests.length} requests were performed`)
    await served(bench)
  })

  test('pings whose answers are not read', async (t) => {
    const { bench, client } = await openServer(t)
    client.socket.pause()
    const sent = await flood(client, repeat(PING, 1000), 10_000)
    assert.ok(sent < 10_000)
    client.socket.resume()
    await until(() => client.isClosed)
    await served(bench)
  })

  test('settings whose answers are not read', async (t) => {
    const { bench, client } = await openServer(t)
    client.socket.pause()
    const sent = await flood(client, repeat(SETTINGS, 1000), 10_000)
    assert.ok(sent < 10_000)
    client.socket.resume()
    await until(() => client.isClosed)
    await served(bench)
  })

  test('headers without an end', async (t) => {
    const { bench, client } = await openServer(t)
    client.send(frameOf(FRAME.headers, FLAG.endStream, 1, headerBlock({})))
    await flood(
      client,
      frameOf(FRAME.continuation, 0, 1, Buffer.concat([Buffer.from([0, 1, 120, 127, 129, 126]), Buffer.alloc(16_000)])),
      10_000,
    )
    await until(() => client.isClosed)
    await served(bench)
  })

  test('empty pieces of a body', async (t) => {
    const { bench, client } = await openServer(t)
    client.send(requestFrame(1, { ':method': 'POST', ':path': PATH }))
    await flood(client, repeat(frameOf(FRAME.data, 0, 1), 1000), 10_000)
    await until(() => client.isClosed)
    assert.deepEqual(bench.door.requests, [])
    await served(bench)
  })
})

test('a request with too many headers is refused', async (t) => {
  const { bench, client } = await openServer(t)
  client.send(
    requestFrame(1, Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x-${index}`, 'y'])), {
      endStream: true,
    }),
  )
  await until(
    () =>
      client.isClosed ||
      client.frames.some(({ type, streamId }) => type === FRAME.resetStream && streamId === 1) ||
      statusFrames(client) > 0,
  )
  assert.equal(bench.credentials.length, 0)
})

test('requests beyond those that a connection may have are refused', async (t) => {
  const { bench, client } = await openServer(t)
  const more = 50
  client.send(
    ...streamIds(REQUESTS_PER_CONNECTION + more).map((id) => requestFrame(id, { ':method': 'POST', ':path': PATH })),
  )
  await until(() => client.isClosed || client.frames.filter(({ type }) => type === FRAME.resetStream).length === more)
  assert.equal(bench.credentials.length, REQUESTS_PER_CONNECTION)
  const [refused] = client.frames.filter(({ type }) => type === FRAME.resetStream)
  assert.equal(refused?.payload.readUInt32BE(0), constants.NGHTTP2_REFUSED_STREAM)
})
