import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createLogger } from '../../base/logger.ts'
import { createSystemRandom } from '../../base/random.ts'
import { connectRegistrar, createSystemSockets, CSI_SERVICES } from '../../csi/index.ts'
import type { CsiMethods, HandlersOf, Registrar } from '../../csi/index.ts'
import { createDispatcher, defineDriver } from '../../csi/kit/index.ts'
import { openTestDirectory } from '../../csi/testing/open-test-directory.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { serveTest } from '../../csi/testing/start-test-driver.ts'
import { checkNodeRegistrarConfig, startNodeRegistrar } from './index.ts'
import type { NodeRegistrarConfig } from './index.ts'

const clock = createSystemClock()

const plainDriver = (name: string) => defineDriver({ name, version: '1' }, { handlers: {}, log: createSilentLogger() })

async function open(
  context: TestContext,
  {
    driverName = 'a.example.com',
    onRefusal = 'end' as const,
    ...config
  }: Partial<NodeRegistrarConfig> & { driverName?: string; onRefusal?: 'end' | 'retry' } = {},
) {
  const directory = await openTestDirectory(context)
  const csiAddress = join(directory, 'csi.sock')
  const driver = await serveTest(context, csiAddress, plainDriver(driverName))
  const logged: string[] = []
  const machine = {
    files: createSystemHost().files,
    clock,
    random: createSystemRandom(),
    log: createLogger({ clock, format: 'json', write: (line) => void logged.push(line) }),
  }
  const parts = { ...machine, sockets: createSystemSockets(machine) }
  const complete: NodeRegistrarConfig = {
    csiAddress,
    kubeletRegistrationPath: '/var/lib/kubelet/plugins/a.example.com/csi.sock',
    pluginRegistrationPath: directory,
    requiresPublishPod: false,
    timeoutMs: 2000,
    httpEndpoint: '',
    healthPort: 0,
    mode: '',
    connectionTimeoutMs: 0,
    enablePprof: false,
    ...config,
  }
  const start = async () => {
    const registrar = await startNodeRegistrar(complete, parts, { onRefusal })
    context.after(() => registrar.stop())
    return registrar
  }
  const ask = async <T>(path: string, question: (registrar: Registrar) => Promise<T>): Promise<T> => {
    const { registrar, connection } = connectRegistrar({ endpoint: path, clock })
    try {
      return await question(registrar)
    } finally {
      connection.close()
    }
  }
  return { directory, driver, csiAddress, start, ask, logged, socket: join(directory, `${driverName}-reg.sock`) }
}

describe('the registrar of a node', () => {
  test('S0-31, S3-25: tells where the driver is, on a socket of its owner alone', async (context) => {
    const { start, ask, socket } = await open(context)
    const registrar = await start()
    equal(registrar.socketPath(), socket)
    deepEqual(await ask(socket, (one) => one.getInfo({})), {
      type: 'CSIPlugin',
      name: 'a.example.com',
      endpoint: '/var/lib/kubelet/plugins/a.example.com/csi.sock',
      supportedVersions: ['1.0.0'],
    })
    equal((await stat(socket)).mode & 0o777, 0o600)
    await registrar.stop()
    await rejects(stat(socket), /ENOENT/)
  })

  for (const requiresPublishPod of [false, true]) {
    test(`S0-14, S0-15, S0-16, S0-17, S0-18, S0-32, S0-33: says requires_publish_pod=${requiresPublishPod} as the option has it`, async (context) => {
      const { start, ask, socket } = await open(context, { requiresPublishPod })
      await start()
      deepEqual(await ask(socket, (one) => one.getCSIDriverInfo({})), {
        csiEndpoint: '/var/lib/kubelet/plugins/a.example.com/csi.sock',
        options: { requiresPublishPod },
      })
    })
  }

  test('ends when the node agent refuses the driver, with what it said', async (context) => {
    const { start, ask, socket } = await open(context)
    const registrar = await start()
    await ask(socket, (one) => one.notifyRegistrationStatus({ pluginRegistered: true }))
    await ask(socket, (one) => one.notifyRegistrationStatus({ pluginRegistered: false, error: 'no room' }))
    equal(await registrar.refused, 'no room')
  })

  test('or makes a new socket after a while, where it shares its process', { timeout: 20_000 }, async (context) => {
    const { start, ask, socket, logged } = await open(context, { onRefusal: 'retry' })
    await start()
    // A new socket may get the number of the old one, but not its time.
    const identity = async (): Promise<string> => stat(socket).then(({ ino, mtimeMs }) => `${ino} ${mtimeMs}`)
    const before = await identity()
    const watch = await createSystemHost().files.watch(join(socket, '..'), () => checks.forEach((check) => check()))
    const checks = new Set<() => void>()
    context.after(() => watch.close())
    await ask(socket, (one) => one.notifyRegistrationStatus({ pluginRegistered: false, error: 'no room' }))
    await new Promise<void>((resolve) => {
      const alive = clock.setTimer(15_000, () => {})
      checks.add(
        () =>
          void identity().then(
            (now) => now !== before && (alive.cancel(), resolve()),
            () => {},
          ),
      )
    })
    equal((await ask(socket, (one) => one.getInfo({}))).name, 'a.example.com')
    // The same once more is no news.
    await ask(socket, (one) => one.notifyRegistrationStatus({ pluginRegistered: false, error: 'no room' }))
    equal(logged.filter((line) => line.includes('no room')).length, 1)
  })

  test('replaces a stale socket, takes the place of another registrar, and leaves a file alone', async (context) => {
    const { start, socket, ask, logged } = await open(context)
    const first = await start()
    const second = await start()
    ok(logged.some((line) => line.includes('replacing another registrar that serves the socket')))
    equal((await ask(socket, (one) => one.getInfo({}))).name, 'a.example.com')
    await first.stop()
    equal((await ask(socket, (one) => one.getInfo({}))).name, 'a.example.com')
    await second.stop()

    const stale = createServer()
    await new Promise<void>((resolve) => void stale.listen(`${socket}.x`, resolve))
    await rename(`${socket}.x`, socket)
    await new Promise<void>((resolve) => void stale.close(() => resolve()))
    await (await start()).stop()

    await writeFile(socket, 'mine')
    await rejects(start(), /is not a socket/)
  })

  test('S3-12, H29: a driver whose name can not be part of a path is refused', async (context) => {
    const { start, driver, csiAddress } = await open(context)
    await driver.stop({ graceMs: 0 })
    const handlers: HandlersOf<CsiMethods> = {
      getPluginInfo: () => Promise.resolve({ name: '../../etc/cron.d/x', vendorVersion: '1' }),
    }
    await serveTest(
      context,
      csiAddress,
      createDispatcher<CsiMethods>({ services: CSI_SERVICES, handlers, log: createSilentLogger() }),
    )
    await rejects(
      start(),
      /has an invalid name: GetPluginInfo returned "\.\.\/\.\.\/etc\/cron\.d\/x": a lowercase RFC 1123 subdomain/,
    )
  })

  test('a driver that comes back under another name is registered under that', { timeout: 20_000 }, async (context) => {
    const { start, driver, csiAddress, directory, ask, logged } = await open(context)
    const registrar = await start()
    await driver.stop({ graceMs: 0 })
    const appeared = Promise.withResolvers<void>()
    const next = join(directory, 'b.example.com-reg.sock')
    const watch = await createSystemHost().files.watch(
      directory,
      () =>
        void stat(next).then(
          () => appeared.resolve(),
          () => {},
        ),
    )
    context.after(() => watch.close())
    const alive = clock.setTimer(15_000, () => {})
    context.after(() => alive.cancel())
    await serveTest(context, csiAddress, plainDriver('b.example.com'))
    await appeared.promise
    equal((await ask(next, (one) => one.getInfo({}))).name, 'b.example.com')
    await rejects(stat(join(directory, 'a.example.com-reg.sock')), /ENOENT/)
    equal(registrar.driverName(), 'b.example.com')
    match(
      logged.find((line) => line.includes('another name than before')) ?? '',
      /"before":"a\.example\.com","driver":"b\.example\.com"/,
    )
  })

  test('serves its health: 200 while it answers on its socket, 404 when that has gone', async (context) => {
    const { start, socket } = await open(context, { httpEndpoint: '127.0.0.1:0' })
    const registrar = await start()
    const get = async (): Promise<[number, string]> => {
      const answer = await fetch(`http://127.0.0.1:${registrar.httpPort}/healthz`)
      return [answer.status, await answer.text()]
    }
    deepEqual(await get(), [200, 'ok'])
    await rm(socket)
    const [status, text] = await get()
    equal(status, 404)
    match(text, /does not exist/)
  })

  test('--health-port and --http-endpoint exclude each other', () => {
    deepEqual(checkNodeRegistrarConfig({ healthPort: 1, httpEndpoint: ':2' }).length, 1)
    deepEqual(checkNodeRegistrarConfig({ healthPort: 1, httpEndpoint: '' }), [])
  })
})
