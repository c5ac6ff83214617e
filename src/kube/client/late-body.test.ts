import { deepEqual, equal, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createIdentity } from '../../apiserver/server-identity.ts'
import { createSystemClock, createSystemRandom } from '../../base/index.ts'
import { openHttpConnection } from './open-http-connection.ts'
import type { HttpConnection } from './http-connection.ts'
import { readText } from './read-body.ts'

const clock = createSystemClock()

async function connectTo(t: TestContext, answer: (stream: ServerHttp2Stream) => void): Promise<HttpConnection> {
  const { server, authority } = await createIdentity({ clock, random: createSystemRandom() })
  const http2 = createSecureServer({ key: server.keyPem, cert: server.certificatePem })
  http2.on('stream', answer)
  http2.listen(0, '127.0.0.1')
  await once(http2, 'listening')
  const tls = { ca: authority.pair.certificatePem, rejectUnauthorized: true }
  const { port } = http2.address() as AddressInfo
  const connection = openHttpConnection({
    server: new URL(`https://127.0.0.1:${port}`),
    tls: () => Promise.resolve(tls),
    clock,
  })
  t.after(() => {
    connection.close()
    http2.close()
  })
  return connection
}

const request = { method: 'POST', path: '/', headers: {}, body: '{}' }

test('an answer that has wholly arrived before anybody reads it is not taken for one that was cut off', async (t) => {
  const connection = await connectTo(t, (stream) => {
    stream.resume()
    stream.on('end', () => {
      stream.respond({ ':status': 200 })
      stream.end('all of it')
    })
  })
  const first = await connection.send(request)
  // On the same connection, after the first request: once this has its response, so has the first.
  equal(await readText((await connection.send(request)).body), 'all of it')
  equal(await readText(first.body), 'all of it')
})

test('an answer that was cut off fails, also when its beginning arrived before anybody read it', async (t) => {
  const connection = await connectTo(t, (stream) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 200 })
    stream.write('the first half')
    stream.session?.ping(() => stream.session?.destroy())
  })
  const { body } = await connection.send(request)
  await rejects(readText(body))
})

test('who leaves a body early is not sent the rest', async (t) => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const connection = await connectTo(t, (stream) => {
    stream.on('error', () => {})
    stream.on('close', resolve)
    stream.respond({ ':status': 200 })
    stream.write('the first half')
  })
  const { body } = await connection.send(request)
  const seen: string[] = []
  for await (const chunk of body) {
    seen.push(chunk.toString())
    break
  }
  deepEqual(seen, ['the first half'])
  await left
})
