import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { FLAG, FRAME, frameOf, openRawHttp2, requestFrame, resetFrame } from '../testing/raw-http2.ts'
import type { RawHttp2 } from '../testing/raw-http2.ts'
import { createPki, openBench, until } from './testing/describe-http-server.ts'
import type { Bench } from './testing/describe-http-server.ts'

const pki = await createPki()
const ca = pki.authority.pair.certificatePem
const PATH = '/api/v1/namespaces/default/configmaps'
const DELETE_OPTIONS = '{"dryRun":["All"],"preconditions":{"uid":"1"}}'
const YAML = { 'content-type': 'application/yaml' }
const INCOMPLETE = 'the client went before the body of the request was complete'

async function openServer(
  t: TestContext,
  transport: 'HTTP/1.1 with TLS' | 'HTTP/2',
): Promise<{ bench: Bench; refused: string[] }> {
  const bench = await openBench(transport, pki)
  t.after(() => bench.close())
  const refused: string[] = []
  const { execute } = bench.door
  bench.door.execute = async (asked, read) => {
    try {
      return await execute(asked, read)
    } catch (error) {
      refused.push((error as Error).message)
      throw error
    }
  }
  return { bench, refused }
}

async function openClient(t: TestContext, { server }: Bench): Promise<RawHttp2> {
  const client = await openRawHttp2({ port: server.port, ca })
  t.after(() => client.socket.destroy())
  return client
}

const dataFrame = (text: string, flags = 0): Buffer => frameOf(FRAME.data, flags, 1, Buffer.from(text))

describe('HTTP/2: a request that is cut off is not executed', () => {
  const cuts: [how: string, cut: (client: RawHttp2) => void][] = [
    ['by RST_STREAM with CANCEL', (client) => client.send(resetFrame(1, constants.NGHTTP2_CANCEL))],
    ['by RST_STREAM with NO_ERROR', (client) => client.send(resetFrame(1, constants.NGHTTP2_NO_ERROR))],
    ['by a socket that is closed', ({ socket }) => void socket.destroy()],
    ['by a FIN', ({ socket }) => void socket.end()],
  ]
  const requests: [what: string, headers: Record<string, string>, sent: string][] = [
    ['a DELETE without any of its options', { ':method': 'DELETE', ':path': `${PATH}/a` }, ''],
    [
      'a DELETE without some of its options',
      { ':method': 'DELETE', ':path': `${PATH}/a` },
      DELETE_OPTIONS.slice(0, 10),
    ],
    [
      'a DELETE with a declared length',
      { ':method': 'DELETE', ':path': `${PATH}/a`, 'content-length': String(DELETE_OPTIONS.length) },
      '',
    ],
    ['a DELETE of a collection', { ':method': 'DELETE', ':path': PATH }, ''],
    ['a PUT in YAML', { ':method': 'PUT', ':path': `${PATH}/a`, ...YAML }, 'data:\n  first: "1"\n'],
    [
      'a PUT in YAML with a declared length',
      { ':method': 'PUT', ':path': `${PATH}/a`, ...YAML, 'content-length': '100' },
      'data:\n  first: "1"\n',
    ],
  ]
  for (const [how, cut] of cuts) {
    for (const [what, headers, sent] of requests) {
      test(`${what}, ${how}`, async (t) => {
        const { bench, refused } = await openServer(t, 'HTTP/2')
        const client = await openClient(t, bench)
        client.send(requestFrame(1, headers), ...(sent === '' ? [] : [dataFrame(sent)]))
        await until(() => bench.credentials.length === 1)
        cut(client)
        await until(() => refused.length > 0 || bench.door.requests.length > 0)
        assert.deepEqual([bench.door.requests, refused], [[], [INCOMPLETE]])
      })
    }
  }

  for (const [what, sent] of [
    ['shorter', DELETE_OPTIONS.slice(0, -1)],
    ['longer', `${DELETE_OPTIONS} `],
  ] as const) {
    test(`a body that is ${what} than declared`, async (t) => {
      const { bench, refused } = await openServer(t, 'HTTP/2')
      const client = await openClient(t, bench)
      client.send(
        requestFrame(1, { ':method': 'DELETE', ':path': `${PATH}/a`, 'content-length': String(DELETE_OPTIONS.length) }),
        dataFrame(sent, FLAG.endStream),
      )
      await until(() => refused.length > 0 || bench.door.requests.length > 0)
      assert.deepEqual([bench.door.requests, refused], [[], [INCOMPLETE]])
    })
  }

  test('one that is complete is executed', async (t) => {
    const { bench } = await openServer(t, 'HTTP/2')
    const client = await openClient(t, bench)
    client.send(requestFrame(1, { ':method': 'DELETE', ':path': `${PATH}/a` }), dataFrame(DELETE_OPTIONS.slice(0, 10)))
    await until(() => bench.credentials.length === 1)
    client.send(dataFrame(DELETE_OPTIONS.slice(10), FLAG.endStream))
    await until(() => bench.door.requests.length === 1)
    const [request] = bench.door.requests
    assert.ok(request?.verb === 'delete' && request.options.dryRun)
  })
})

describe('HTTP/1.1: a request that is cut off is not executed', () => {
  const requests: [what: string, head: string, sent: string][] = [
    ['a DELETE with a declared length', `DELETE ${PATH}/a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n`, '{}'],
    ['a DELETE in chunks', `DELETE ${PATH}/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`, '2\r\n{}\r\n'],
    [
      'a PUT in YAML',
      `PUT ${PATH}/a HTTP/1.1\r\nHost: x\r\nContent-Type: application/yaml\r\nContent-Length: 100\r\n\r\n`,
      'data:\n  first: "1"\n',
    ],
  ]
  for (const [what, head, sent] of requests) {
    for (const how of ['destroy', 'end'] as const) {
      test(`${what}, by ${how === 'end' ? 'a FIN' : 'a socket that is closed'}`, async (t) => {
        const { bench, refused } = await openServer(t, 'HTTP/1.1 with TLS')
        const socket = connectTls({ port: bench.server.port, host: '127.0.0.1', ca })
        socket.on('error', () => {})
        t.after(() => socket.destroy())
        await once(socket, 'secureConnect')
        socket.write(head + sent)
        await until(() => bench.credentials.length === 1)
        socket[how]()
        await until(() => refused.length > 0 || bench.door.requests.length > 0)
        assert.deepEqual([bench.door.requests, refused], [[], [INCOMPLETE]])
      })
    }
  }
})
