import { equal, ok } from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSystemRandom } from '../base/random.ts'
import { createIdentity, localAddress } from './server-identity.ts'

const certificateFor = async (host?: string): Promise<X509Certificate> => {
  const { server } = await createIdentity({ clock: createSystemClock(), random: createSystemRandom(), ...(host === undefined ? {} : { host }) })
  return new X509Certificate(server.certificatePem)
}

test('the certificate is good for the address on which the server was asked to listen, and for this machine', async () => {
  const cases: [host: string, isCovered: (certificate: X509Certificate) => unknown][] = [
    ['192.0.2.7', (certificate) => certificate.checkIP('192.0.2.7')],
    ['2001:db8::7', (certificate) => certificate.checkIP('2001:db8::7')],
    ['node.example.com', (certificate) => certificate.checkHost('node.example.com')],
  ]
  for (const [host, isCovered] of cases) {
    const certificate = await certificateFor(host)
    ok(isCovered(certificate), host)
    ok(certificate.checkIP('127.0.0.1'), host)
  }
})

test('all addresses are no address', async () => {
  equal((await certificateFor('0.0.0.0')).subjectAltName, (await certificateFor()).subjectAltName)
  equal(localAddress('https://0.0.0.0:6443'), 'https://127.0.0.1:6443')
  equal(localAddress('https://[::]:6443'), 'https://[::1]:6443')
  equal(localAddress('https://192.0.2.7:6443'), 'https://192.0.2.7:6443')
})
