import assert from 'node:assert/strict'
import { connect as connectHttp2, constants } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { DEFAULT_REQUEST_LIMITS } from './http/limits.ts'
import { openRawClient } from './testing/raw-client.ts'
import { FLAG, FRAME, frameOf, openRawHttp2, requestFrame, resetFrame } from './testing/raw-http2.ts'
import { startTestServer } from './testing/start-test-server.ts'
import type { TestServer } from './testing/start-test-server.ts'

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

async function openServer(t: TestContext): Promise<TestServer> {
  const server = await startTestServer()
  t.after(() => server[Symbol.asyncDispose]())
  return server
}

async function certificateOf(
  { identity: { authority } }: TestServer,
  user: string,
  groups: readonly string[],
): Promise<{ ca: string; key: string; cert: string }> {
  const { keyPem, certificatePem } = await authority.issueClient({ user, groups })
  return { ca: authority.pair.certificatePem, key: keyPem, cert: certificatePem }
}

async function openSession(t: TestContext, server: TestServer, user: string): Promise<ClientHttp2Session> {
  // The unsent rest of rejected bodies counts as well.
  const session = connectHttp2(server.address, { ...(await certificateOf(server, user, [])), maxSessionMemory: 1000 })
  session.on('error', () => {})
  t.after(() => session.destroy())
  return session
}

test('an account without any rights holds just so much memory, and keeps nobody from being served', async (t) => {
  const server = await openServer(t)
  const session = await openSession(t, server, 'nobody-in-particular')
  // Every authenticated user may ask for their permissions.
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  const size = DEFAULT_REQUEST_LIMITS.bodyBytes - 1024
  const count = Math.ceil((1.5 * DEFAULT_REQUEST_LIMITS.heldPerUserBytes) / size)
  const most = Math.floor(DEFAULT_REQUEST_LIMITS.heldPerUserBytes / size)
  const statuses: number[] = []
  for (let index = 0; index < count; index++) {
    const stream = session.request(
      { ':method': 'POST', ':path': path, 'content-type': 'application/json' },
      { endStream: false },
    )
    stream.on('response', (headers) => void statuses.push(Number(headers[':status']))).on('error', () => {})
    stream.resume().write(Buffer.alloc(size, ' '))
  }
  await until(() => statuses.length >= count - most)
  assert.ok(
    statuses.every((status) => status === 429),
    statuses.join(),
  )
  const admin = await openRawClient(server, { user: 'admin', groups: ['system:masters'] })
  t.after(() => admin.close())
  assert.equal((await admin.ask({ path: '/api/v1/namespaces' })).status, 200)
  session.destroy()
})

test('a deletion that is cut off deletes nothing, and one that is complete does', async (t) => {
  const server = await openServer(t)
  const admin = await openRawClient(server, { user: 'admin', groups: ['system:masters'] })
  t.after(() => admin.close())
  const path = '/api/v1/namespaces/default/configmaps'
  assert.equal((await admin.ask({ method: 'POST', path, body: '{"metadata":{"name":"a"}}' })).status, 201)
  const raw = await openRawHttp2({
    port: Number(new URL(server.address).port),
    ...(await certificateOf(server, 'admin', ['system:masters'])),
  })
  t.after(() => raw.socket.destroy())
  const deletion = { ':method': 'DELETE', ':path': `${path}/a`, 'content-type': 'application/json' }
  // The options that would have followed: `{"dryRun":["All"]}`. A ping is answered after everything before it was read.
  raw.send(
    requestFrame(1, deletion),
    resetFrame(1, constants.NGHTTP2_CANCEL),
    frameOf(FRAME.ping, 0, 0, Buffer.alloc(8)),
  )
  await until(() => raw.frames.some(({ type }) => type === FRAME.ping))
  assert.equal((await admin.ask({ path: `${path}/a` })).status, 200)
  raw.send(requestFrame(3, deletion), frameOf(FRAME.data, FLAG.endStream, 3, Buffer.from('{}')))
  await until(() => raw.frames.some(({ streamId, flags }) => streamId === 3 && (flags & FLAG.endStream) !== 0))
  assert.equal((await admin.ask({ path: `${path}/a` })).status, 404)
})
