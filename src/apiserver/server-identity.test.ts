import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSimulatedHost, HostError } from '../base/host/index.ts'
import type { HostFiles } from '../base/host/index.ts'
import { createLogger, createSilentLogger } from '../base/logger.ts'
import { createSeededRandom, createSystemRandom } from '../base/random.ts'
import { createIdentity, loadIdentity, localAddress } from './server-identity.ts'

const certificateFor = async (host?: string): Promise<X509Certificate> => {
  const { server } = await createIdentity({
    clock: createSystemClock(),
    random: createSystemRandom(),
    ...(host === undefined ? {} : { host }),
  })
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

describe('the keys of a server', () => {
  const open = (files: HostFiles, isFirstStart = false) =>
    loadIdentity('/pki', files, {
      clock: createSystemClock(),
      random: createSystemRandom(),
      log: createSilentLogger(),
      isFirstStart,
    })
  const NAMES = ['ca.crt', 'ca.key', 'service-account.key']
  const contentOf = async (files: HostFiles): Promise<string[]> =>
    Promise.all(
      (await files.list('/pki')).map(
        async ({ name }) => `${name} ${new TextDecoder().decode(await files.readFile(`/pki/${name}`))}`,
      ),
    )
  const started = async (): Promise<HostFiles> => {
    const { files } = createSimulatedHost({ random: createSeededRandom(1) })
    await open(files, true)
    return files
  }

  test('are made at the first start and kept from then on', async () => {
    const files = await started()
    const before = await contentOf(files)
    await open(files)
    deepEqual(await contentOf(files), before)
  })

  test('are refused by name when one is damaged or empty, with what to do about it', async () => {
    for (const text of ['junk', '']) {
      for (const name of NAMES) {
        const files = await started()
        await files.writeFile(`/pki/${name}`, new TextEncoder().encode(text))
        const before = await contentOf(files)
        await rejects(
          open(files),
          new RegExp(
            `${name}.* in /pki is damaged: restore it from a backup, or remove all files in /pki to create new ones`,
          ),
        )
        deepEqual(await contentOf(files), before)
      }
    }
  })

  test('are refused when some are missing: no new authority takes the place of one that clients trust', async () => {
    for (const missing of NAMES) {
      const files = await started()
      await files.removeFile(`/pki/${missing}`)
      const before = await contentOf(files)
      await rejects(
        open(files),
        new RegExp(`/pki holds keys of this server, but not ${missing}: restore what is missing from a backup`),
      )
      deepEqual(await contentOf(files), before)
    }
  })

  test('are made anew when all are gone', async () => {
    const files = await started()
    for (const name of NAMES) await files.removeFile(`/pki/${name}`)
    await open(files)
    deepEqual(
      (await files.list('/pki')).map(({ name }) => name),
      NAMES,
    )
  })

  test('are completed when the first start was interrupted between any two of them', async () => {
    for (const left of [['service-account.key'], ['service-account.key', 'ca.key']]) {
      const files = await started()
      for (const name of NAMES) if (!left.includes(name)) await files.removeFile(`/pki/${name}`)
      await open(files, true)
      deepEqual(
        (await files.list('/pki')).map(({ name }) => name),
        NAMES,
      )
    }
  })

  test('are named when they cannot be read', async () => {
    const files = await started()
    const readFile: HostFiles['readFile'] = (path) =>
      path === '/pki/ca.key' ? Promise.reject(new HostError('EACCES', 'readFile', path)) : files.readFile(path)
    await rejects(
      open({ ...files, readFile }),
      /ca\.key in \/pki cannot be read: run the server as the user that owns it, or restore it from a backup/,
    )
  })

  test('are taken away from others who may read them, with a warning', async () => {
    const files = await started()
    const lines: string[] = []
    const log = createLogger({ clock: createSystemClock(), format: 'json', write: (line) => void lines.push(line) })
    await files.setMode('/pki', 0o755)
    await files.setMode('/pki/ca.key', 0o644)
    await loadIdentity('/pki', files, {
      clock: createSystemClock(),
      random: createSystemRandom(),
      log,
      isFirstStart: false,
    })
    deepEqual([(await files.findStat('/pki'))?.mode, (await files.findStat('/pki/ca.key'))?.mode], [0o700, 0o600])
    deepEqual(
      lines.map((line) => JSON.parse(line) as Record<string, unknown>).map(({ path, was, now }) => [path, was, now]),
      [
        ['/pki', '0755', '0700'],
        ['/pki/ca.key', '0644', '0600'],
      ],
    )
  })

  test('are refused when others may read them and this user cannot change that', async () => {
    const files = await started()
    await files.setMode('/pki/ca.key', 0o644)
    const setMode: HostFiles['setMode'] = (path) => Promise.reject(new HostError('EPERM', 'setMode', path))
    await rejects(
      open({ ...files, setMode }),
      /\/pki\/ca\.key has mode 0644, so that others may use it, and this user cannot change that\. Run chmod go-rwx/,
    )
  })
})
