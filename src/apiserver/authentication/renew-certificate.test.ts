import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { createSilentLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { startTestServer } from '../testing/start-test-server.ts'
import type { TestServer } from '../testing/start-test-server.ts'
import { RENEW_AFTER_MS, startCertificateRenewal } from './renew-certificate.ts'

const DAY_MS = 24 * 3600 * 1000

test('the certificate is renewed at half of its life, and again; a failure is repeated the next day', async () => {
  const clock = createSimulatedClock()
  const used: string[] = []
  let isBroken = false
  const renewal = startCertificateRenewal({
    clock,
    log: createSilentLogger(),
    issue: () =>
      isBroken
        ? Promise.reject(new Error('no entropy'))
        : Promise.resolve({ keyPem: '', certificatePem: `${used.length}` }),
    use: ({ certificatePem }) => used.push(certificatePem),
  })
  await clock.advance(RENEW_AFTER_MS - DAY_MS)
  deepEqual(used, [])
  await clock.advance(DAY_MS)
  deepEqual(used, ['0'])
  isBroken = true
  await clock.advance(RENEW_AFTER_MS + DAY_MS)
  deepEqual(used, ['0'])
  isBroken = false
  await clock.advance(DAY_MS)
  deepEqual(used, ['0', '1'])
  renewal.stop()
  await clock.advance(3 * RENEW_AFTER_MS)
  equal(used.length, 2)
})

test('new connections see the new certificate, and old ones go on', async () => {
  await using server = await startTestServer()
  const serialOf = async (): Promise<string> => {
    const { hostname: host, port } = new URL(server.address)
    const socket = connect({ host, port: Number(port), ca: server.identity.authority.pair.certificatePem })
    await once(socket, 'secureConnect')
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  }
  const before = await serialOf()
  equal(await serialOf(), before)
  await renewOn(server)
  notEqual(await serialOf(), before)
})

const renewOn = (server: TestServer): Promise<void> => server.renewCertificate()
