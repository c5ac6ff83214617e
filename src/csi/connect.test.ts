import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { nextConnectionState } from './connect.ts'
import type { Connection, ConnectionState } from './connect.ts'
import { CsiError, isCsiError } from './csi-error.ts'
import { outcomeOf } from './outcome-of.ts'
import { openTestDirectory } from './testing/open-test-directory.ts'
import { connectTest, defineTestDriver, serveTest, startTestDriver } from './testing/start-test-driver.ts'

const idle = defineTestDriver({})

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error instanceof CsiError ? error.code : error),
  )

/** Resolves once the state of the connection matches. */
function reaches(connection: Connection, fits: (state: ConnectionState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (fits(connection.state())) return resolve()
    const unwatch = connection.watch((state) => {
      if (!fits(state)) return
      unwatch()
      resolve()
    })
  })
}

/** A server that accepts connections and sends nothing. */
async function openMuteServer(test: TestContext, path: string): Promise<Server> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(path)
  await once(server, 'listening')
  test.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return server
}

describe('connect', () => {
  it('is connecting until somebody answers, then ready for the first time', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const { connection } = connectTest(test, path)
    assert.equal(connection.path, path)
    assert.deepEqual(connection.state(), { kind: 'connecting' })
    await serveTest(test, path, idle)
    await connection.ready()
    assert.deepEqual(connection.state(), { kind: 'ready', times: 1 })
    await connection.ready()
  })

  it('takes a unix:// address', async (test) => {
    const { path } = await startTestDriver(test, {})
    const { driver, connection } = connectTest(test, `unix://${path}`)
    assert.equal(connection.path, path)
    await driver.probe({})
  })

  it('is lost when the server stops, and ready a second time once it is back', async (test) => {
    const { connection, driver, server, path } = await startTestDriver(test, {})
    const seen: ConnectionState[] = []
    connection.watch((state) => seen.push(state))
    await connection.ready()
    await server.stop()
    await reaches(connection, ({ kind }) => kind === 'lost')
    await serveTest(test, path, idle)
    await connection.ready()
    assert.deepEqual(seen, [
      { kind: 'ready', times: 1 },
      { kind: 'lost', times: 1 },
      { kind: 'ready', times: 2 },
    ])
    await driver.probe({})
  })

  it('fails calls with UNAVAILABLE while nobody is there', async (test) => {
    const { connection, driver, server } = await startTestDriver(test, {})
    await connection.ready()
    await server.stop()
    await reaches(connection, ({ kind }) => kind === 'lost')
    const error = await driver.probe({}).catch((reason: unknown) => reason)
    assert.ok(isCsiError(error, 'UNAVAILABLE'), String(error))
    assert.equal(outcomeOf('Probe', error), 'in-doubt')
    assert.equal(
      error.detail,
      `cannot connect to the CSI driver at unix://${connection.path}: no such file or directory. Check that the driver is running.`,
    )
  })

  it('names the driver, once it has told its name, in errors about the connection', async (test) => {
    const { connection, driver, server } = await startTestDriver(test, {})
    await driver.getPluginInfo({})
    await server.stop()
    await reaches(connection, ({ kind }) => kind === 'lost')
    await assert.rejects(driver.probe({}), {
      message: `Probe: Unavailable: cannot connect to CSI driver test.holdfast.dev at unix://${connection.path}: no such file or directory. Check that the driver is running.`,
    })
  })

  it('stays connecting with a server that accepts and never answers; calls end at their deadline', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const server = await openMuteServer(test, path)
    const { driver, connection } = connectTest(test, path)
    await once(server, 'connection')
    assert.equal(await codeOf(driver.probe({}, { timeoutMs: 30 })), 'DEADLINE_EXCEEDED')
    assert.deepEqual(connection.state(), { kind: 'connecting' })
  })

  it('does not dial without pause a server that leaves after every handshake', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    let dialled = 0
    const server = createServer((socket) => {
      dialled++
      // An empty SETTINGS frame.
      socket.on('error', () => {}).end(Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0))
    })
    server.listen(path)
    await once(server, 'listening')
    test.after(() => server.close())
    const startedMs = performance.now()
    const { connection } = connectTest(test, path)
    await reaches(connection, (state) => state.kind === 'ready' && state.times === 4)
    // The pauses between four attempts: 100, 160 and 256 ms.
    assert.ok(performance.now() - startedMs >= 500)
    assert.equal(dialled, 4)
  })

  it('stays connected for thousands of calls: a server leaves a client that resets many streams', async (test) => {
    const { driver, connection } = await startTestDriver(test, {})
    for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 100 }, () => driver.probe({})))
    assert.deepEqual(connection.state(), { kind: 'ready', times: 1 })
  })

  it('refuses an answer above its limit and stays connected', async (test) => {
    const entries = Array.from({ length: 100 }, (_, index) => ({ volume: { volumeId: `volume ${index}` } }))
    const { path } = await startTestDriver(test, { listVolumes: () => Promise.resolve({ entries }) })
    const { driver, connection } = connectTest(test, path, { maxMessageBytes: 1000 })
    const error = await driver.listVolumes({}).catch((reason: unknown) => reason)
    assert.ok(isCsiError(error, 'RESOURCE_EXHAUSTED'), String(error))
    await driver.probe({})
    assert.deepEqual(connection.state(), { kind: 'ready', times: 1 })
  })
})

describe('closing a connection', () => {
  it('fails calls in flight, and later ones, with CANCELLED', async (test) => {
    const started = Promise.withResolvers<void>()
    const told = Promise.withResolvers<void>()
    const hang = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => told.resolve())
      started.resolve()
      return new Promise(() => {})
    }
    const { driver, connection } = await startTestDriver(test, { getCapacity: (_request, { signal }) => hang(signal) })
    const call = driver.getCapacity({}).catch((error: unknown) => error)
    await started.promise
    connection.close()
    const error = await call
    assert.ok(error instanceof CsiError)
    assert.equal(error.message, 'GetCapacity: Canceled: the connection was closed')
    await told.promise
    assert.equal(await codeOf(driver.probe({})), 'CANCELLED')
    const stream = driver.getMetadataAllocated({ snapshotId: 's' })[Symbol.asyncIterator]()
    assert.equal(await codeOf(stream.next()), 'CANCELLED')
  })

  it('fails streams in flight with CANCELLED', async (test) => {
    const { driver, connection } = await startTestDriver(test, {
      getMetadataAllocated: async function* (_request, { signal }) {
        yield {}
        await once(signal, 'abort')
      },
    })
    const stream = driver.getMetadataAllocated({ snapshotId: 's' })[Symbol.asyncIterator]()
    await stream.next()
    connection.close()
    assert.equal(await codeOf(stream.next()), 'CANCELLED')
  })

  it('ends what waits for the connection: calls with CANCELLED, ready with an error', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const server = await openMuteServer(test, path)
    const { driver, connection } = connectTest(test, path)
    await once(server, 'connection')
    const call = codeOf(driver.probe({}))
    const ready = connection.ready()
    connection.close()
    assert.equal(await call, 'CANCELLED')
    await assert.rejects(ready, { message: `the connection to ${path} was closed` })
  })

  it('does not connect any more to a server that comes later', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const { connection } = connectTest(test, path)
    const others = Array.from({ length: 5 }, () => connectTest(test, path).connection)
    connection.close()
    const server = await openMuteServer(test, path)
    let dialled = 0
    server.on('connection', () => dialled++)
    // Once all connections started at the same time have dialled again, the closed one would have dialled too.
    while (dialled < others.length) await once(server, 'connection')
    assert.equal(dialled, others.length)
    assert.deepEqual(connection.state(), { kind: 'closed' })
  })

  it('is told once, however often it is closed', async (test) => {
    const { connection } = connectTest(test, join(await openTestDirectory(test), 'csi.sock'))
    const seen: string[] = []
    connection.watch(({ kind }) => seen.push(kind))
    connection.close()
    connection.close()
    assert.deepEqual(seen, ['closed'])
  })
})

describe('waiting for a connection', () => {
  it('ends with the reason of the signal, and leaves nothing behind', async (test) => {
    const { connection } = connectTest(test, join(await openTestDirectory(test), 'csi.sock'))
    const controller = new AbortController()
    const ready = connection.ready(controller.signal)
    controller.abort(new Error('enough'))
    await assert.rejects(ready, { message: 'enough' })
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
    await assert.rejects(connection.ready(controller.signal), { message: 'enough' })
  })

  it('lets go of the signal once it is ready', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const { connection } = connectTest(test, path)
    const { signal } = new AbortController()
    const ready = connection.ready(signal)
    assert.equal(getEventListeners(signal, 'abort').length, 1)
    await serveTest(test, path, idle)
    await ready
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  it('fails at once on a closed connection', async (test) => {
    const { connection } = connectTest(test, join(await openTestDirectory(test), 'csi.sock'))
    connection.close()
    await assert.rejects(connection.ready(), /was closed/)
  })
})

describe('watching a connection', () => {
  it('may close it when it is lost, which everybody then hears last', async (test) => {
    const { connection, server } = await startTestDriver(test, {})
    await connection.ready()
    const [first, second]: [string[], string[]] = [[], []]
    connection.watch(({ kind }) => {
      first.push(kind)
      if (kind === 'lost') connection.close()
    })
    const closed = new Promise<void>((resolve) => {
      connection.watch(({ kind }) => {
        second.push(kind)
        if (kind === 'closed') resolve()
      })
    })
    await server.stop()
    await closed
    // One turn later, an error thrown by the channel would have surfaced.
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(first, ['lost', 'closed'])
    assert.deepEqual(second, ['closed'])
  })

  it('ends for each listener apart, also from within another one', async (test) => {
    const { connection } = connectTest(test, join(await openTestDirectory(test), 'csi.sock'))
    const seen: string[] = []
    const twice = (): void => void seen.push('twice')
    connection.watch(() => endOther())
    const endOther = connection.watch(() => seen.push('other'))
    const endFirst = connection.watch(twice)
    connection.watch(twice)
    endFirst()
    endFirst()
    connection.close()
    assert.deepEqual(seen, ['twice'])
  })

  it('does not tell a listener of a change that came before it', async (test) => {
    const { connection } = connectTest(test, join(await openTestDirectory(test), 'csi.sock'))
    const seen: string[] = []
    connection.watch(() => void connection.watch(({ kind }) => seen.push(kind)))
    connection.close()
    assert.deepEqual(seen, [])
  })
})

describe('nextConnectionState', () => {
  const cases: [state: ConnectionState, connected: ConnectionState, unconnected: ConnectionState][] = [
    [{ kind: 'connecting' }, { kind: 'ready', times: 1 }, { kind: 'connecting' }],
    [
      { kind: 'ready', times: 3 },
      { kind: 'ready', times: 3 },
      { kind: 'lost', times: 3 },
    ],
    [
      { kind: 'lost', times: 3 },
      { kind: 'ready', times: 4 },
      { kind: 'lost', times: 3 },
    ],
    [{ kind: 'closed' }, { kind: 'closed' }, { kind: 'closed' }],
  ]
  for (const [state, connected, unconnected] of cases) {
    it(`follows the channel from ${state.kind}`, () => {
      assert.deepEqual(nextConnectionState(state, true), connected)
      assert.deepEqual(nextConnectionState(state, false), unconnected)
      if (state.kind === connected.kind) assert.equal(nextConnectionState(state, true), state)
    })
  }
})
