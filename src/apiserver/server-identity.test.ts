import { equal, ok, rejects } from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSimulatedHost } from '../base/host/index.ts'
import { createSeededRandom, createSystemRandom } from '../base/random.ts'
import { createIdentity, loadIdentity, localAddress } from './server-identity.ts'

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

test('a damaged key is named, with what to do about it', async () => {
  const { files } = createSimulatedHost({ random: createSeededRandom(1) })
  const parts = { clock: createSystemClock(), random: createSystemRandom() }
  await loadIdentity('/pki', files, parts)
  for (const name of ['service-account.key', 'ca.key']) {
    await files.writeFile(`/pki/${name}`, new TextEncoder().encode('junk'))
    await rejects(loadIdentity('/pki', files, parts), new RegExp(`${name}.* in /pki is damaged: restore it from a backup, or remove it`))
  }
})
