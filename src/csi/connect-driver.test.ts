import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { it } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSilentLogger } from '../base/logger.ts'
import { connectRegistrar, joinDriver } from './connect-driver.ts'
import { describeDriverTransport } from './testing/describe-driver-transport.ts'
import { createDispatcher } from './kit/index.ts'
import { CSI_REGISTRATION_SERVICE, REGISTRATION_SERVICE } from './rpc.ts'
import type { RegistrationMethods } from './rpc.ts'
import { openTestDirectory } from './testing/open-test-directory.ts'
import { defineTestDriver, serveTest, startTestDriver } from './testing/start-test-driver.ts'

describeDriverTransport('a driver on a socket', async (test, server, options = {}) => {
  const { driver } = await startTestDriver(test, server, { connect: options })
  return driver
})

describeDriverTransport('a driver joined in memory', (_test, server, options = {}) =>
  Promise.resolve(joinDriver(server, { clock: createSystemClock(), ...options })),
)

it('calls both services of a registrar', async (test) => {
  const told: unknown[] = []
  const server = createDispatcher<RegistrationMethods>({
    services: [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE],
    log: createSilentLogger(),
    handlers: {
      getInfo: () =>
        Promise.resolve({
          type: 'CSIPlugin',
          name: 'test.holdfast.dev',
          endpoint: '/csi.sock',
          supportedVersions: ['1.0.0'],
        }),
      notifyRegistrationStatus: (status) => {
        told.push(status)
        return Promise.resolve({})
      },
      getCSIDriverInfo: () => Promise.resolve({ csiEndpoint: '/csi.sock', options: { requiresPublishPod: true } }),
    },
  })
  const { path } = await startTestDriver(test, server)
  const { registrar, connection } = connectRegistrar({ endpoint: path, clock: createSystemClock() })
  test.after(() => connection.close())
  assert.deepEqual((await registrar.getInfo({})).supportedVersions, ['1.0.0'])
  assert.equal((await registrar.getCSIDriverInfo({})).options?.requiresPublishPod, true)
  await registrar.notifyRegistrationStatus({ pluginRegistered: false, error: 'no such version' })
  assert.deepEqual(told, [{ pluginRegistered: false, error: 'no such version' }])
})

it('a program that waits for a driver does not end before the driver is there', async (context) => {
  const path = join(await openTestDirectory(context), 'csi.sock')
  const program = `import { connectDriver } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
    import { createSystemClock } from ${JSON.stringify(new URL('../base/clock.ts', import.meta.url).href)}
    const { connection } = connectDriver({ endpoint: ${JSON.stringify(path)}, clock: createSystemClock() })
    process.stdout.write('waiting\\n')
    await connection.ready()
    process.stdout.write('ready\\n')
    connection.close()`
  const waiting = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = new Promise<string>((resolve) => {
    let text = ''
    waiting.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    waiting.once('close', () => resolve(text))
  })
  await once(waiting.stdout, 'data')
  await serveTest(context, path, defineTestDriver({}))
  assert.equal(await said, 'waiting\nready\n')
})
