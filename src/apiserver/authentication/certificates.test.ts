import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPublicKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { createSystemClock } from '../../base/clock.ts'
import { createSeededRandom, createSystemRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createAuthority, localServerNames, openAuthority } from './certificates.ts'
import type { Authority, KeyPair } from './certificates.ts'
import { readClientCertificate } from './client-certificate.ts'
import type { ClientCertificate } from './client-certificate.ts'

const DAY_MS = 24 * 3600 * 1000

let authority: Authority
let server: KeyPair
let client: KeyPair
before(async () => {
  authority = await createAuthority(createSystemRandom(), createSystemClock())
  server = await authority.issueServer(localServerNames())
  client = await authority.issueClient({ user: 'system:node:n1', groups: ['system:nodes', 'räume, "1"'] })
})

test('the authority signs for itself, and what it signs is signed by it', () => {
  const ca = new X509Certificate(authority.pair.certificatePem)
  ok(ca.ca && ca.verify(ca.publicKey) && ca.checkIssued(ca))
  for (const { certificatePem, keyPem } of [server, client]) {
    const leaf = new X509Certificate(certificatePem)
    ok(!leaf.ca && leaf.verify(ca.publicKey) && leaf.checkIssued(ca))
    ok(leaf.publicKey.equals(createPublicKey(keyPem)))
  }
})

test('a server certificate is good for the names of the cluster and of the machine', async () => {
  const { certificatePem } = await authority.issueServer(
    localServerNames({ dnsNames: ['api.example.com'], ipAddresses: ['192.0.2.1', '2001:db8::1:0:ff'] }),
  )
  const leaf = new X509Certificate(certificatePem)
  for (const name of [
    'localhost',
    'kubernetes',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'api.example.com',
  ])
    equal(leaf.checkHost(name), name)
  for (const address of ['127.0.0.1', '::1', '192.0.2.1', '2001:db8::1:0:ff']) ok(leaf.checkIP(address), address)
  equal(leaf.checkHost('example.com'), undefined)
  equal(leaf.checkIP('192.0.2.2'), undefined)
})

test('what is no address is refused', async () => {
  for (const wrong of ['localhost', '1.2.3', '1.2.3.256', '::g', ''])
    await rejects(
      async () => authority.issueServer({ commonName: 'x', dnsNames: [], ipAddresses: [wrong] }),
      /is no IP address/,
    )
})

test('an authority lives ten years, a certificate one, from a little before now', async () => {
  const clock = createSimulatedClock(Date.UTC(2045, 5, 1))
  const made = await createAuthority(createSeededRandom(1), clock)
  const life = ({ certificatePem }: KeyPair): { minutesBefore: number; daysAfter: number } => {
    const { validFromDate, validToDate } = new X509Certificate(certificatePem)
    return {
      minutesBefore: (clock.nowMs() - validFromDate.getTime()) / 60_000,
      daysAfter: (validToDate.getTime() - clock.nowMs()) / DAY_MS,
    }
  }
  deepEqual(life(made.pair), { minutesBefore: 5, daysAfter: 3650 })
  deepEqual(life(await made.issueClient({ user: 'u', groups: [] })), { minutesBefore: 5, daysAfter: 365 })
  await clock.advance(3500 * DAY_MS)
  deepEqual(
    life(await made.issueClient({ user: 'u', groups: [] })),
    { minutesBefore: 5, daysAfter: 150 },
    'nothing outlives its authority',
  )
})

test('serial numbers come from the randomness passed in', async () => {
  const serial = async (seed: number): Promise<string> =>
    new X509Certificate((await createAuthority(createSeededRandom(seed), createSystemClock())).pair.certificatePem)
      .serialNumber
  equal(await serial(7), await serial(7))
  ok((await serial(7)) !== (await serial(8)))
})

test('an authority that was saved goes on signing', async () => {
  const again = openAuthority(authority.pair, createSystemRandom(), createSystemClock())
  const leaf = new X509Certificate((await again.issueClient({ user: 'u', groups: [] })).certificatePem)
  const ca = new X509Certificate(authority.pair.certificatePem)
  ok(leaf.verify(ca.publicKey) && leaf.checkIssued(ca))
})

test('an authority is not opened with what does not belong together', () => {
  throws(
    () => openAuthority({ ...authority.pair, keyPem: server.keyPem }, createSystemRandom(), createSystemClock()),
    /not that of the certificate/,
  )
  throws(() => openAuthority(server, createSystemRandom(), createSystemClock()), /not one of an authority/)
})

test('openssl agrees, at its strictest', async (context) => {
  if (spawnSync('openssl', ['version']).status !== 0) return context.skip('there is no openssl on this machine')
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-certificates-'))
  try {
    const files = {
      'ca.pem': authority.pair.certificatePem,
      'server.pem': server.certificatePem,
      'client.pem': client.certificatePem,
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
    const verify = (...rest: string[]): string => {
      const { stdout, stderr } = spawnSync('openssl', ['verify', '-x509_strict', '-CAfile', 'ca.pem', ...rest], {
        cwd: directory,
        encoding: 'utf8',
      })
      return stdout + stderr
    }
    match(verify('-purpose', 'sslserver', '-verify_hostname', 'localhost', 'server.pem'), /^server\.pem: OK/)
    match(verify('-purpose', 'sslclient', 'client.pem'), /^client\.pem: OK/)
    match(verify('-purpose', 'sslclient', 'server.pem'), /unsuitable certificate purpose/)
    match(verify('-purpose', 'sslserver', '-verify_hostname', 'example.com', 'server.pem'), /hostname mismatch/)
  } finally {
    await rm(directory, { recursive: true })
  }
})

type Shake = { authorized: boolean; identity: ClientCertificate | undefined; clientError: string | undefined }

/** A real handshake on loopback: returns what the server learns about the client, and vice versa. */
async function shakeHands(options: { servername: string; client?: KeyPair; trusted?: string }): Promise<Shake> {
  const listening = createServer({
    cert: server.certificatePem,
    key: server.keyPem,
    ca: authority.pair.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  })
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const accepted = once(listening, 'secureConnection') as Promise<[TLSSocket]>
  accepted.catch(() => {})
  const pair = options.client ? { cert: options.client.certificatePem, key: options.client.keyPem } : {}
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: options.trusted ?? authority.pair.certificatePem,
    servername: options.servername,
    ...pair,
  })
  try {
    const clientError = await new Promise<string | undefined>((resolve) => {
      socket.once('secureConnect', () => resolve(undefined))
      socket.once('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message))
    })
    if (clientError !== undefined) return { authorized: false, identity: undefined, clientError }
    const [peer] = await accepted
    const seen = {
      authorized: peer.authorized,
      identity: readClientCertificate(peer.getPeerCertificate()),
      clientError,
    }
    peer.destroy()
    return seen
  } finally {
    socket.destroy()
    listening.close()
  }
}

test('a client with a certificate is known by its name and groups', async () => {
  const { authorized, identity } = await shakeHands({ servername: 'localhost', client })
  equal(authorized, true)
  equal(identity?.commonName, 'system:node:n1')
  deepEqual(identity.organizations, ['system:nodes', 'räume, "1"'])
  equal(identity.sha256, new X509Certificate(client.certificatePem).fingerprint256.replaceAll(':', '').toLowerCase())
})

test('one group and no group are read as well', async () => {
  for (const groups of [['only'], []]) {
    const { identity } = await shakeHands({
      servername: 'kubernetes',
      client: await authority.issueClient({ user: 'u', groups }),
    })
    deepEqual(identity?.organizations, groups)
  }
})

test('a client without a certificate comes through, unknown', async () => {
  deepEqual(await shakeHands({ servername: 'localhost' }), {
    authorized: false,
    identity: undefined,
    clientError: undefined,
  })
})

test('a certificate of another authority is not believed, even one of the same name', async () => {
  const other = await createAuthority(createSystemRandom(), createSystemClock())
  const { authorized } = await shakeHands({
    servername: 'localhost',
    client: await other.issueClient({ user: 'system:admin', groups: ['system:masters'] }),
  })
  equal(authorized, false)
})

test('a server’s certificate does not make a client', async () => {
  equal((await shakeHands({ servername: 'localhost', client: server })).authorized, false)
})

test('an expired certificate is not believed', async () => {
  const past = createSimulatedClock(Date.now() - 366 * DAY_MS)
  const old = openAuthority(authority.pair, createSystemRandom(), past)
  equal(
    (await shakeHands({ servername: 'localhost', client: await old.issueClient({ user: 'u', groups: [] }) }))
      .authorized,
    false,
  )
})

test('a client does not talk to a server of another name or of another authority', async () => {
  equal((await shakeHands({ servername: 'example.com' })).clientError, 'ERR_TLS_CERT_ALTNAME_INVALID')
  const other = await createAuthority(createSystemRandom(), createSystemClock())
  ok((await shakeHands({ servername: 'localhost', trusted: other.pair.certificatePem })).clientError !== undefined)
})
