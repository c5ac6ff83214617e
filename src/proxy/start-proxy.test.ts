import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import * as grpc from '@grpc/grpc-js'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { isCsiError } from '../csi/index.ts'
import { ORIGINAL_AUTHORITY } from '../csi/http2/authority-repair.ts'
import { repairAuthority } from '../csi/http2/repair-authority.ts'
import type { CsiHandlers } from '../csi/kit/index.ts'
import { describeDriverTransport } from '../csi/testing/describe-driver-transport.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { defineTestDriver } from '../csi/testing/start-test-driver.ts'
import { createIdleHandlers, VALID_CALLS } from '../csi/testing/valid-calls.ts'
import { startProxy } from './index.ts'
import { startTestProxy } from './testing/start-test-proxy.ts'

describeDriverTransport('a driver behind a proxy', async (test, server, options = {}) => {
  const { driver } = await startTestProxy(test, server, { connect: options })
  return driver
})

const CREATE = VALID_CALLS.createVolume.request

/** A driver that counts its calls. */
function countingDriver(handlers: CsiHandlers = {}): { calls: string[]; server: ReturnType<typeof defineTestDriver> } {
  const calls: string[] = []
  const all = { ...createIdleHandlers(), ...handlers }
  const counted = Object.fromEntries(
    Object.entries(all).map(([method, handler]) => [
      method,
      (request: never, context: never) => {
        calls.push(method)
        return (handler as (request: never, context: never) => unknown)(request, context)
      },
    ]),
  ) as CsiHandlers
  return { calls, server: defineTestDriver(counted) }
}

const faultOf = (lines: string): string => `faults:\n  - ${lines.replaceAll('\n', '\n    ')}\n`

describe('faults of a proxy', () => {
  it('answers with an error, without a call to the driver, as often as the file says', async (test) => {
    const { calls, server } = countingDriver()
    const faults = faultOf(
      'rpc: CreateVolume\nskip: 1\ntimes: 1\nerror: {code: RESOURCE_EXHAUSTED, message: "größer 100%"}',
    )
    const { driver, faults: chooser } = await startTestProxy(test, server, { faults })
    await driver.createVolume(CREATE)
    await assert.rejects(driver.createVolume(CREATE), (error) => {
      assert.ok(isCsiError(error, 'RESOURCE_EXHAUSTED'))
      assert.equal(error.detail, 'größer 100%')
      return true
    })
    await driver.createVolume(CREATE)
    assert.deepEqual(calls.filter((name) => name === 'createVolume').length, 2)
    assert.deepEqual(chooser.applied(), [1])
  })

  it('loses the reply of a call that succeeded, but not the error of one that failed', async (test) => {
    let isFull = false
    const { calls, server } = countingDriver({
      createVolume: () =>
        isFull ? Promise.reject(new Error('full')) : Promise.resolve(VALID_CALLS.createVolume.answer),
    })
    const { driver } = await startTestProxy(test, server, {
      faults: faultOf('rpc: CreateVolume\nloseReply: UNAVAILABLE'),
    })
    await assert.rejects(driver.createVolume(CREATE), (error) => isCsiError(error, 'UNAVAILABLE'))
    assert.deepEqual(calls, ['createVolume'])
    isFull = true
    await assert.rejects(driver.createVolume(CREATE), (error) => isCsiError(error, 'INTERNAL'))
  })

  it('leaves a caller without an answer until its deadline', async (test) => {
    const { calls, server } = countingDriver()
    const { driver } = await startTestProxy(test, server, { faults: faultOf('rpc: DeleteVolume\nloseReply: hang') })
    await assert.rejects(driver.deleteVolume({ volumeId: 'v' }, { timeoutMs: 500 }), (error) =>
      isCsiError(error, 'DEADLINE_EXCEEDED'),
    )
    assert.deepEqual(calls, ['deleteVolume'])
  })

  it('gives a call to the driver again once it has ended', async (test) => {
    const { calls, server } = countingDriver()
    const { driver } = await startTestProxy(test, server, { faults: faultOf('rpc: CreateSnapshot\nduplicate: after') })
    await driver.createSnapshot(VALID_CALLS.createSnapshot.request)
    assert.deepEqual(calls, ['createSnapshot', 'createSnapshot'])
  })

  it('gives a call to the driver twice at a time', async (test) => {
    const { promise: probed, resolve } = Promise.withResolvers<void>()
    const { server } = countingDriver({
      createSnapshot: () => probed.then(() => VALID_CALLS.createSnapshot.answer),
      probe: () => {
        resolve()
        return Promise.resolve({})
      },
    })
    const { driver } = await startTestProxy(test, server, {
      faults: faultOf('rpc: CreateSnapshot\nduplicate: parallel'),
    })
    // The driver kit answers ABORTED to a second call for a name while the first is running.
    const ended = assert.rejects(driver.createSnapshot(VALID_CALLS.createSnapshot.request), (error) =>
      isCsiError(error, 'ABORTED'),
    )
    await driver.probe({})
    await ended
  })

  for (const when of ['before', 'after'])
    it(`cuts the connection ${when} the call`, async (test) => {
      const { calls, server } = countingDriver()
      const { driver, connection } = await startTestProxy(test, server, {
        faults: faultOf(`rpc: DeleteVolume\ntimes: 1\ncut: ${when}`),
      })
      await driver.probe({})
      const lost = new Promise<void>((resolve) => connection.watch(({ kind }) => kind === 'lost' && resolve()))
      await assert.rejects(driver.deleteVolume({ volumeId: 'v' }), (error) => isCsiError(error, 'UNAVAILABLE'))
      await lost
      assert.equal(calls.filter((name) => name === 'deleteVolume').length, when === 'after' ? 1 : 0)
      await connection.ready()
      await driver.deleteVolume({ volumeId: 'v' })
    })

  it('alters an answer', async (test) => {
    const { server } = countingDriver()
    const { driver } = await startTestProxy(test, server, {
      faults: faultOf(
        'rpc: CreateVolume\nalter:\n  volume.capacity_bytes: 9007199254740993\n  volume.volume_context.a.b/c: x'.replace(
          '9007199254740993',
          '"9007199254740993"',
        ),
      ),
    })
    const { volume } = await driver.createVolume(CREATE)
    assert.equal(volume?.capacityBytes, 9007199254740993n)
    assert.deepEqual(volume.volumeContext, { 'a.b/c': 'x' })
    assert.equal(volume.volumeId, 'v')
  })

  it('delays a call, and drops it when the caller gives up in the meantime', async (test) => {
    const { calls, server } = countingDriver()
    const { driver, recorded } = await startTestProxy(test, server, {
      faults: faultOf('rpc: [DeleteVolume, Probe]\ndelay: 300ms'),
    })
    await assert.rejects(driver.deleteVolume({ volumeId: 'v' }, { timeoutMs: 50 }))
    await driver.probe({})
    assert.deepEqual(calls, ['probe'])
    const [dropped, delayed] = recorded()
    assert.equal(dropped?.reply, undefined)
    assert.ok((delayed?.tookMs ?? 0) >= 299)
  })

  it('finds later calls of a volume by the name it was created with', async (test) => {
    const { server } = countingDriver({
      createVolume: ({ name }) => Promise.resolve({ volume: { volumeId: `id-of-${name}` } }),
    })
    const { driver } = await startTestProxy(test, server, {
      faults: faultOf('rpc: "*"\nvolume: pvc-1*\nskip: 1\nerror: INTERNAL'),
    })
    await driver.createVolume({ ...CREATE, name: 'pvc-17' })
    await driver.createVolume({ ...CREATE, name: 'pvc-2' })
    await driver.deleteVolume({ volumeId: 'id-of-pvc-2' })
    await assert.rejects(driver.deleteVolume({ volumeId: 'id-of-pvc-17' }), (error) => isCsiError(error, 'INTERNAL'))
  })

  it('repeats the draws of a seed', async (test) => {
    const faults = `seed: 7\n${faultOf('rpc: Probe\nprobability: 0.5\nerror: ABORTED')}`
    const run = async (): Promise<boolean[]> => {
      const { driver } = await startTestProxy(test, countingDriver().server, { faults })
      const results: boolean[] = []
      for (let call = 0; call < 20; call++)
        results.push(
          await driver.probe({}).then(
            () => true,
            () => false,
          ),
        )
      return results
    }
    const first = await run()
    assert.ok(first.includes(true) && first.includes(false))
    assert.deepEqual(await run(), first)
  })
})

describe('recordings of a proxy', () => {
  it('have every call with its order, and no secret anywhere', async (test) => {
    const server = countingDriver({
      createVolume: ({ secrets }) => Promise.reject(new Error(`wrong password ${secrets['password']}`)),
    }).server
    const { driver, recorded } = await startTestProxy(test, server)
    await assert.rejects(driver.createVolume({ ...CREATE, secrets: { password: 'hunter2hunter2' } }))
    for await (const _ of driver.getMetadataAllocated(VALID_CALLS.getMetadataAllocated.request));
    const [create, stream] = recorded()
    assert.equal(create?.rpc, '/csi.v1.Controller/CreateVolume')
    assert.equal(create.reply?.code, 'INTERNAL')
    assert.match(create.reply.message ?? '', /wrong password/)
    assert.doesNotMatch(JSON.stringify(recorded()), /hunter2/)
    assert.deepEqual([create.begins, create.ends, stream?.begins, stream?.ends], [1, 2, 3, 4])
    assert.deepEqual(stream?.reply?.responses, [{ volume_capacity_bytes: '1' }])
  })

  it('have secrets if they are asked for', async (test) => {
    const { driver, recorded } = await startTestProxy(test, countingDriver().server, { showSecrets: true })
    await driver.createVolume({ ...CREATE, secrets: { password: 'hunter2hunter2' } })
    assert.deepEqual(recorded()[0]?.request?.['secrets'], { password: 'hunter2hunter2' })
  })
})

describe('what a proxy does not know', () => {
  type Seen = { headers: readonly string[]; body: Buffer }

  async function startPlainProxy(test: TestContext, directory: string, to: string): Promise<string> {
    const parts = { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() }
    const { files } = createSystemHost()
    const proxy = await startProxy({ listen: join(directory, 'proxy.sock'), to, files, ...parts })
    test.after(() => proxy.stop())
    return proxy.path
  }

  /** A plain HTTP/2 server that answers every request with headers and trailers of its own, and a client of a proxy before it. */
  async function startRaw(test: TestContext): Promise<{ path: string; seen: Seen[] }> {
    const directory = await openTestDirectory(test)
    const to = join(directory, 'driver.sock')
    const seen: Seen[] = []
    const server = http2.createServer()
    server.on('stream', ((stream: http2.ServerHttp2Stream, _headers: unknown, _flags: number, headers: string[]) => {
      stream.on('error', () => {})
      void buffer(stream).then((body) => {
        seen.push({ headers, body })
        stream.respond({ ':status': 200, 'x-answer': ['1', '2'] }, { waitForTrailers: true, sendDate: false } as object)
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-bin': 'AAE' }))
        stream.end(Buffer.from([0, 0, 0, 0, 2, 7, 7]))
      })
    }) as () => void)
    server.listen(to)
    await once(server, 'listening')
    test.after(() => server.close())
    return { path: await startPlainProxy(test, directory, to), seen }
  }

  it('passes byte for byte: method, metadata, authority, body, answer and trailers', async (test) => {
    const { path, seen } = await startRaw(test)
    const session = http2.connect('http://localhost', { createConnection: () => net.connect(path) })
    test.after(() => session.destroy())
    const body = Buffer.from([1, 0, 0, 0, 3, 9, 9, 9, 0, 0, 0, 0, 0])
    const call = session.request({
      ':method': 'POST',
      ':path': '/vendor.v2.Thing/Do',
      ':authority': 'some.host:17',
      'x-repeated': ['a', 'b'],
      'x-data-bin': 'AAECAw',
      te: 'trailers',
    })
    let answer: string[] = []
    let trailers: string[] = []
    call.on('response', (_headers, _flags, ...[raw]: string[][]) => (answer = raw ?? []))
    call.on('trailers', (_headers, _flags, ...[raw]: string[][]) => (trailers = raw ?? []))
    call.end(body)
    assert.deepEqual(await buffer(call), Buffer.from([0, 0, 0, 0, 2, 7, 7]))
    const [got] = seen
    assert.deepEqual(got?.body, body)
    const pairs = (raw: readonly string[]): string[] =>
      raw.flatMap((name, index) => (index % 2 === 0 ? [`${name}=${raw[index + 1]}`] : [])).sort()
    assert.deepEqual(pairs(got.headers), [
      ':authority=some.host:17',
      ':method=POST',
      ':path=/vendor.v2.Thing/Do',
      ':scheme=http',
      'te=trailers',
      'x-data-bin=AAECAw',
      'x-repeated=a',
      'x-repeated=b',
    ])
    assert.deepEqual(answer, [':status', '200', 'x-answer', '1', 'x-answer', '2'])
    assert.deepEqual(trailers, ['grpc-status', '0', 'x-bin', 'AAE'])
  })

  it('keeps an authority that Node would refuse', async (test) => {
    const directory = await openTestDirectory(test)
    const to = join(directory, 'driver.sock')
    const { promise: authority, resolve } = Promise.withResolvers<unknown>()
    const upstream = net.createServer((socket) => {
      const session = http2.performServerHandshake(repairAuthority(socket, { keepOriginal: true }))
      session.on('stream', (stream, headers) => {
        resolve(headers[ORIGINAL_AUTHORITY])
        stream.respond({ ':status': 200, 'grpc-status': '0' }, { endStream: true })
      })
      test.after(() => session.destroy())
    })
    upstream.listen(to)
    await once(upstream, 'listening')
    test.after(() => upstream.close())
    const client = new grpc.Client(
      `unix:${await startPlainProxy(test, directory, to)}`,
      grpc.credentials.createInsecure(),
      {
        'grpc.default_authority': '/csi/odd.sock',
      },
    )
    test.after(() => client.close())
    const same = (bytes: Buffer): Buffer => bytes
    client.makeUnaryRequest('/csi.v1.Identity/Probe', same, same, Buffer.alloc(0), () => {})
    assert.equal(await authority, '/csi/odd.sock')
  })

  it('carries streams in both directions as they come', async (test) => {
    const directory = await openTestDirectory(test)
    const to = join(directory, 'driver.sock')
    const server = new grpc.Server()
    const identity = (bytes: Buffer): Buffer => bytes
    const definition = {
      path: '/vendor.v2.Thing/Chat',
      requestStream: true,
      responseStream: true,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    }
    server.addService({ chat: definition } as grpc.ServiceDefinition, {
      chat: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
        call.on('data', (bytes: Buffer) => call.write(Buffer.concat([Buffer.from('re: '), bytes])))
        call.on('end', () => call.end())
      },
    })
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${to}`, grpc.ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    )
    test.after(() => server.forceShutdown())
    const client = new grpc.Client(
      `unix:${await startPlainProxy(test, directory, to)}`,
      grpc.credentials.createInsecure(),
    )
    test.after(() => client.close())
    const chat = client.makeBidiStreamRequest('/vendor.v2.Thing/Chat', identity, identity)
    const answers: string[] = []
    chat.on('data', (bytes: Buffer) => {
      answers.push(bytes.toString())
      if (answers.length < 3) chat.write(Buffer.from(String(answers.length)))
      else chat.end()
    })
    chat.write(Buffer.from('0'))
    await once(chat, 'end')
    assert.deepEqual(answers, ['re: 0', 're: 1', 're: 2'])
  })

  it('has no connection while the driver has none', async (test) => {
    const { driver, server, connection } = await startTestProxy(test, countingDriver().server)
    await driver.probe({})
    const lost = new Promise<void>((resolve) => connection.watch(({ kind }) => kind === 'lost' && resolve()))
    await server.stop({ graceMs: 0 })
    await lost
    await assert.rejects(driver.probe({}), (error) => isCsiError(error, 'UNAVAILABLE'))
  })
})
