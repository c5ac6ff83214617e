import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { Client, credentials } from '@grpc/grpc-js'
import { createSystemHost } from '../../base/host/index.ts'
import { createLogger, createSilentLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { codeOf } from '../codes.ts'
import type { Code } from '../codes.ts'
import { CsiError } from '../csi-error.ts'
import { GetPluginInfoResponse } from '../generated/csi/v1/csi.ts'
import { outcomeOf } from '../outcome-of.ts'
import { REGISTRATION_SERVICE } from '../rpc.ts'
import type { RegistrationMethods } from '../rpc.ts'
import { openTestDirectory } from '../testing/open-test-directory.ts'
import { connectTest, defineTestDriver, serveTest, startTestDriver } from '../testing/start-test-driver.ts'
import { createDispatcher } from './dispatch.ts'
import type { CsiHandlers } from './handlers.ts'

const { files } = createSystemHost()
const CREATE_PATH = '/csi.v1.Controller/CreateVolume'

/** A handler that reports when it runs and when its caller has gone, and ends on command. */
function createHangingCall() {
  const started = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const getCapacity: NonNullable<CsiHandlers['getCapacity']> = async (_request, { signal }) => {
    signal.addEventListener('abort', () => gone.resolve())
    started.resolve()
    await mayEnd.promise
    return { availableCapacity: 7n }
  }
  return { getCapacity, started: started.promise, gone: gone.promise, end: mayEnd.resolve }
}

const errorOf = async (call: Promise<unknown>): Promise<CsiError> => {
  const error: unknown = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof CsiError, String(error))
  return error
}

/** A client that sends any bytes to any method, with any server name. */
function openRawClient(test: TestContext, path: string, authority = 'localhost') {
  const options = { 'grpc.default_authority': authority, 'grpc.use_local_subchannel_pool': 1 }
  const client = new Client(`unix:${path}`, credentials.createInsecure(), options)
  test.after(() => client.close())
  return (method: string, bytes: Uint8Array): Promise<{ code: Code; bytes: Buffer }> =>
    new Promise((resolve) => {
      const same = (buffer: Buffer): Buffer => buffer
      client.makeUnaryRequest(method, same, same, Buffer.from(bytes), (error, answer) => {
        resolve({ code: error ? codeOf(error.code) : 'OK', bytes: answer ?? Buffer.alloc(0) })
      })
    })
}

describe('stopping a server', () => {
  it('removes the socket, and another server may take its place', async (test) => {
    const { server, path } = await startTestDriver(test, {})
    assert.equal(server.path, path)
    await server.stop()
    assert.equal(await files.findStat(path), undefined)
    await serveTest(test, path, defineTestDriver({}))
    await connectTest(test, path).driver.probe({})
  })

  it('does not wait for clients that are connected and idle', async (test) => {
    // Its clock stands still, so a timeout would never fire.
    const { server, driver, path } = await startTestDriver(test, {}, { serve: { clock: createSimulatedClock() } })
    await driver.probe({})
    const mute = connect(path)
    await once(mute, 'connect')
    const hungUp = once(mute.resume(), 'close')
    await server.stop()
    await hungUp
  })

  it('lets running calls end and their answers arrive', async (test) => {
    const { getCapacity, started, end } = createHangingCall()
    const clock = createSimulatedClock()
    const { server, driver } = await startTestDriver(test, { getCapacity }, { serve: { clock } })
    const call = driver.getCapacity({})
    await started
    const stopped = server.stop()
    end()
    assert.equal((await call).availableCapacity, 7n)
    await stopped
    assert.equal(clock.pendingTimers(), 0)
  })

  it('sends a large answer whole', async (test) => {
    const { getCapacity, started, end } = createHangingCall()
    const entries = Array.from({ length: 10_000 }, (_, index) => ({ volume: { volumeId: `volume ${index}` } }))
    const listVolumes: NonNullable<CsiHandlers['listVolumes']> = async (_request, call) => {
      await getCapacity({ volumeCapabilities: [], parameters: {}, accessibleTopology: undefined }, call)
      return { entries }
    }
    const { server, driver } = await startTestDriver(
      test,
      { listVolumes },
      { serve: { clock: createSimulatedClock() } },
    )
    const call = driver.listVolumes({})
    await started
    const stopped = server.stop()
    end()
    assert.equal((await call).entries.length, entries.length)
    await stopped
  })

  it('takes no new call meanwhile, not even on a connection that is open', async (test) => {
    const { getCapacity, started, end } = createHangingCall()
    let probes = 0
    const probe = (): Promise<{ ready: boolean }> => Promise.resolve({ ready: ++probes > 0 })
    const { server, driver, connection } = await startTestDriver(
      test,
      { getCapacity, probe },
      { serve: { clock: createSimulatedClock() } },
    )
    const call = driver.getCapacity({})
    await started
    const lost = new Promise<void>((resolve) => connection.watch(({ kind }) => kind === 'lost' && resolve()))
    const stopped = server.stop()
    await lost
    assert.equal((await errorOf(driver.probe({}))).code, 'UNAVAILABLE')
    assert.equal(probes, 0)
    end()
    await Promise.all([call, stopped])
  })

  it('cuts calls off that do not end in time; their handlers are told and their callers stay in doubt', async (test) => {
    const { getCapacity, started, gone, end } = createHangingCall()
    const clock = createSimulatedClock()
    const { server, driver } = await startTestDriver(test, { getCapacity }, { serve: { clock } })
    const call = errorOf(driver.getCapacity({}))
    await started
    let isStopped = false
    const stopped = server.stop({ graceMs: 5000 }).then(() => (isStopped = true))
    // The timer is set once the socket is removed.
    while (clock.pendingTimers() === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(4999)
    assert.equal(isStopped, false)
    await clock.advance(1)
    await stopped
    assert.equal(outcomeOf('GetCapacity', await call), 'in-doubt')
    await gone
    end()
  })

  it('cuts off a client that does not hang up', async (test) => {
    const clock = createSimulatedClock()
    const { server, path } = await startTestDriver(test, {}, { serve: { clock } })
    const stubborn = connect({ path, allowHalfOpen: true })
    test.after(() => stubborn.destroy())
    await once(stubborn, 'connect')
    const stopped = server.stop()
    while (clock.pendingTimers() === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(10_000)
    await stopped
  })

  it('waits for the first stop when it is stopped again', async (test) => {
    const { getCapacity, started, end } = createHangingCall()
    const clock = createSimulatedClock()
    const { server, driver } = await startTestDriver(test, { getCapacity }, { serve: { clock } })
    const call = driver.getCapacity({})
    await started
    let stops = 0
    const stopped = [server.stop(), server.stop({ graceMs: 1 })].map((each) => each.then(() => stops++))
    while (clock.pendingTimers() === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(9999)
    assert.equal(stops, 0)
    end()
    assert.equal((await call).availableCapacity, 7n)
    await Promise.all([...stopped, server.stop()])
  })

  it('stops all the same when its socket can not be removed', async (test) => {
    const lines: string[] = []
    const log = createLogger({ clock: createSimulatedClock(), format: 'text', write: (line) => lines.push(line) })
    const removeFile = (): Promise<never> => Promise.reject(new Error('not permitted'))
    const { server, connection } = await startTestDriver(test, {}, { serve: { log, files: { ...files, removeFile } } })
    await connection.ready()
    await server.stop()
    assert.match(lines.join(''), /warn {2}socket not removed {2}path=\S+ {2}error=\{"message":"not permitted"\}/)
  })
})

describe('a served driver', () => {
  for (const authority of ['localhost', '/csi/csi.sock', '', 'unix:/x', '%2Fvar%2Flib%2Fcsi.sock']) {
    it(`answers a client that calls it ${JSON.stringify(authority)}`, async (test) => {
      const { path } = await startTestDriver(test, {})
      const call = openRawClient(test, path, authority)
      for (let round = 0; round < 3; round++) {
        const { code, bytes } = await call('/csi.v1.Identity/GetPluginInfo', Buffer.alloc(0))
        assert.equal(code, 'OK')
        assert.equal(GetPluginInfoResponse.decode(bytes).name, 'test.holdfast.dev')
      }
    })
  }

  it('answers INVALID_ARGUMENT to bytes that are no message, and goes on', async (test) => {
    const { path } = await startTestDriver(test, {
      createVolume: () => assert.fail('must not be called'),
      deleteVolume: () => Promise.resolve({}),
    })
    const call = openRawClient(test, path)
    assert.equal((await call(CREATE_PATH, Uint8Array.of(0x0a, 0xff, 0xff))).code, 'INVALID_ARGUMENT')
    assert.equal((await call(CREATE_PATH, Uint8Array.of(0x0a, 0x02, 0xc3, 0x28))).code, 'INVALID_ARGUMENT')
    assert.equal((await call('/csi.v1.Identity/GetPluginInfo', Buffer.alloc(0))).code, 'OK')
  })

  it('answers UNIMPLEMENTED to a method of a later version', async (test) => {
    const { path } = await startTestDriver(test, {})
    assert.equal(
      (await openRawClient(test, path)('/csi.v1.Controller/FoldVolume', Buffer.alloc(0))).code,
      'UNIMPLEMENTED',
    )
  })

  it('answers RESOURCE_EXHAUSTED to a request above its limit, and goes on', async (test) => {
    const { driver } = await startTestDriver(
      test,
      { getCapacity: () => Promise.resolve({}) },
      { serve: { maxMessageBytes: 1000 } },
    )
    assert.equal(
      (await errorOf(driver.getCapacity({ parameters: { a: 'x'.repeat(1000) } }))).code,
      'RESOURCE_EXHAUSTED',
    )
    await driver.getCapacity({ parameters: { a: 'x'.repeat(900) } })
  })

  it('takes requests up to 4 MiB unless told otherwise', async (test) => {
    const { path } = await startTestDriver(test, { getCapacity: () => Promise.resolve({}) })
    const { driver } = connectTest(test, path)
    const withBytes = (count: number): Promise<unknown> =>
      driver.getCapacity({ parameters: { 'csi.storage.k8s.io/serviceAccount.tokens': 'x'.repeat(count) } })
    await withBytes(4 * 1024 * 1024 - 100)
    assert.equal((await errorOf(withBytes(4 * 1024 * 1024))).code, 'RESOURCE_EXHAUSTED')
  })

  it('survives clients that send rubbish or hang up', async (test) => {
    const { driver, path } = await startTestDriver(test, {})
    const rubbish = connect(path)
    rubbish.on('error', () => {})
    rubbish.resume().end('GET / HTTP/1.1\r\n\r\n')
    await once(rubbish, 'close')
    const hasty = connect(path)
    await once(hasty, 'connect')
    hasty.destroy()
    await driver.probe({})
  })

  it('is not told that its caller has gone while the caller waits', async (test) => {
    const { getCapacity, started, gone, end } = createHangingCall()
    const { driver } = await startTestDriver(test, { getCapacity })
    const call = driver.getCapacity({})
    await started
    await driver.probe({})
    const early = await Promise.race([gone.then(() => true), Promise.resolve(false)])
    assert.equal(early, false)
    end()
    await call
  })
})

describe('serve', () => {
  it('serves several servers on one socket', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const registrar = createDispatcher<RegistrationMethods>({
      services: [REGISTRATION_SERVICE],
      handlers: { getInfo: () => Promise.resolve({ name: 'registrar' }) },
      log: createSilentLogger(),
    })
    await serveTest(test, path, defineTestDriver({}), { servers: [defineTestDriver({}), registrar] })
    const call = openRawClient(test, path)
    assert.equal((await call('/csi.v1.Identity/Probe', Buffer.alloc(0))).code, 'OK')
    assert.equal((await call('/pluginregistration.Registration/GetInfo', Buffer.alloc(0))).code, 'OK')
  })

  it('gives the socket the permissions it is told', async (test) => {
    const { path } = await startTestDriver(test, {}, { serve: { socketMode: 0o666 } })
    assert.equal((await files.findStat(path))?.mode, 0o666)
  })

  it('refuses an endpoint that is served, and one that is no socket', async (test) => {
    const { path } = await startTestDriver(test, {})
    await assert.rejects(serveTest(test, path, defineTestDriver({})), /is in use by another process/)
    await assert.rejects(serveTest(test, 'tcp://0.0.0.0:5000', defineTestDriver({})), /is not a unix socket/)
  })
})
