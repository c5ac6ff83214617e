import { equal, rejects } from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemRandom } from '../../base/random.ts'
import { createIdentity } from '../server-identity.ts'
import { callWebhook } from './call-webhook.ts'

test('a webhook is asked over HTTPS, and trusted by its certificate authority only', async (context) => {
  const identity = await createIdentity({ clock: createSystemClock(), random: createSystemRandom() })
  const server = createServer(
    { key: identity.server.keyPem, cert: identity.server.certificatePem },
    (request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => (body += part.toString()))
      request.on('end', () => {
        response.statusCode = request.url === '/fails' ? 503 : 200
        response.end(`${request.method} ${request.url} ${body}`)
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const caPem = identity.authority.pair.certificatePem
  const { signal } = new AbortController()

  equal(
    await callWebhook({ url: `https://localhost:${port}/check?timeout=1s`, caPem }, '{}', signal),
    'POST /check?timeout=1s {}',
  )
  const connect = { host: '127.0.0.1', port }
  equal(await callWebhook({ url: 'https://kubernetes.default.svc:443/', caPem, connect }, 'x', signal), 'POST / x')
  await rejects(callWebhook({ url: `https://localhost:${port}/fails`, caPem }, '{}', signal), /status code 503/)
  await rejects(callWebhook({ url: `https://localhost:${port}/` }, '{}', signal), /certificate/)
  await rejects(callWebhook({ url: 'https://hook.default.svc/', caPem, connect }, '{}', signal), /altnames|Hostname/i)
  const aborting = new AbortController()
  aborting.abort()
  await rejects(callWebhook({ url: `https://localhost:${port}/`, caPem }, '{}', aborting.signal), /abort/)
})
