import { deepEqual, match, rejects } from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { createSystemSockets } from '../csi/index.ts'
import { createDispatcher, defineDriver } from '../csi/kit/index.ts'
import { REGISTRATION_SERVICE } from '../csi/rpc.ts'
import type { RegistrationMethods } from '../csi/rpc.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { serveTest } from '../csi/testing/start-test-driver.ts'
import { nodesOf } from './cluster-options.ts'
import { findDrivers } from './find-drivers.ts'
import type { FindOptions } from './find-drivers.ts'

const log = createSilentLogger()
const nodes = nodesOf({ nodes: 2, zones: [], dataDirectory: '/data' })

async function open(context: TestContext) {
  const directory = await openTestDirectory(context)
  const clock = createSimulatedClock()
  const host = createSystemHost()
  const real = createSystemClock()
  const warnings: unknown[] = []
  const warn = (message: string, fields?: object): void => void warnings.push({ message, ...fields })
  const parts = {
    host,
    clock,
    log: { ...log, warn },
    sockets: createSystemSockets({ files: host.files, clock: real, random: createSystemRandom(), log }),
  }
  const find = (words: readonly [node: string, name: string][], options: FindOptions = {}) =>
    findDrivers(
      parts,
      words.map(([node, name]) => ({ node, endpoint: `unix://${join(directory, name)}` })),
      nodes,
      options,
    )
  const driver = (name: string, driverName: string, ready = true) =>
    serveTest(
      context,
      join(directory, name),
      defineDriver({ name: driverName, version: '1' }, { handlers: { probe: () => Promise.resolve({ ready }) }, log }),
    )
  const listen = async (name: string, server: Server): Promise<void> => {
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
    await new Promise<void>((resolve) => server.listen(join(directory, name), resolve))
    context.after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
  }
  /** Advances the clock while it goes on: what needs ten seconds has failed at once. */
  const giveUp = async (finding: Promise<unknown>): Promise<string> => {
    let message: string | undefined
    const ended = finding
      .then(
        () => 'found',
        (error: Error) => error.message,
      )
      .then((text) => (message = text))
    while (message === undefined) {
      await new Promise<void>((resolve) => void real.setTimer(5, resolve))
      await clock.advance(500)
    }
    return ended
  }
  return { directory, clock, find, driver, listen, giveUp, warnings }
}

describe('drivers that somebody else runs', () => {
  test('are asked for their names', async (context) => {
    const { find, driver, directory } = await open(context)
    await driver('a.sock', 'a.example.com')
    await driver('b.sock', 'a.example.com')
    await symlink(join(directory, 'b.sock'), join(directory, 'link.sock'))
    const found = await find([
      ['node-1', 'a.sock'],
      ['node-2', 'link.sock'],
    ])
    deepEqual(
      found.map(({ driverName, node }) => [driverName, node]),
      [
        ['a.example.com', 'node-1'],
        ['a.example.com', 'node-2'],
      ],
    )
  })

  test('may be a little late', async (context) => {
    const { find, driver, clock, warnings, directory } = await open(context)
    const finding = find([['node-1', 'late.sock']])
    while (warnings.length === 0) await clock.advance(100)
    await driver('late.sock', 'late.example.com')
    deepEqual(
      (await finding).map(({ driverName }) => driverName),
      ['late.example.com'],
    )
    deepEqual(warnings, [{ message: 'waiting for a driver', endpoint: `unix://${directory}/late.sock` }])
  })

  test('are refused when something else is there', async (context) => {
    const { find, listen, giveUp, directory } = await open(context)
    await writeFile(join(directory, 'file'), '')
    await mkdir(join(directory, 'directory'))
    await rejects(find([['node-1', 'file']]), /--driver unix:\/\/\/.*\/file: this is a file, not a socket$/)
    await rejects(find([['node-1', 'directory']]), /this is a directory, not a socket$/)
    await listen(
      'http.sock',
      createHttpServer((_request, response) => void response.end('hello')),
    )
    await listen(
      'garbage.sock',
      createServer((socket) => void socket.write('hello\n'.repeat(1000))),
    )
    await listen(
      'closing.sock',
      createServer((socket) => void socket.destroy()),
    )
    await listen(
      'silent.sock',
      createServer(() => {}),
    )
    for (const name of ['http', 'garbage', 'closing', 'silent']) {
      match(
        await giveUp(find([['node-1', `${name}.sock`]])),
        new RegExp(
          `/${name}\\.sock: no CSI driver is serving this socket: .+\\. Check that the driver is running and that this is its socket$`,
        ),
      )
    }
    match(await giveUp(find([['node-1', 'silent.sock']])), /: it does not respond\. Check/)
    match(
      await giveUp(find([['node-1', 'none.sock']])),
      /none\.sock: the socket does not exist; start the driver first$/,
    )
  })

  test('are refused when they are no CSI driver, not ready, or have no name that Kubernetes can use', async (context) => {
    const { find, driver, giveUp, directory } = await open(context)
    const info = {
      getInfo: () => Promise.resolve({ type: 'CSIPlugin', name: 'x', endpoint: '/x', supportedVersions: ['1.0.0'] }),
      notifyRegistrationStatus: () => Promise.resolve({}),
    }
    await serveTest(
      context,
      join(directory, 'registrar.sock'),
      createDispatcher<RegistrationMethods>({ services: [REGISTRATION_SERVICE], handlers: info, log }),
    )
    await rejects(find([['node-1', 'registrar.sock']]), /this is a gRPC server, but not a CSI driver/)
    await driver('unready.sock', 'a.example.com', false)
    match(await giveUp(find([['node-1', 'unready.sock']])), /: Probe reports that the driver is not ready\. Check/)
    await driver('odd.sock', 'a..example')
    await rejects(
      find([['node-1', 'odd.sock']]),
      /odd\.sock has an invalid name: GetPluginInfo returned "a\.\.example": a lowercase RFC 1123/,
    )
  })

  test('are refused when two are the same on one node', async (context) => {
    const { find, driver } = await open(context)
    await driver('a.sock', 'a.example.com')
    await driver('b.sock', 'a.example.com')
    await rejects(
      find([
        ['node-1', 'a.sock'],
        ['node-1', 'b.sock'],
      ]),
      /b\.sock: .*\/a\.sock is a\.example\.com on node-1 already; name another node with --driver=NODE=unix:/,
    )
    await rejects(
      find([['node-1', 'a.sock']], { bundled: [{ driverName: 'a.example.com', node: 'node-1' }] }),
      /as the bundled driver; add --no-bundled-driver$/,
    )
  })

  test('are no longer waited for once a stop is asked for', async (context) => {
    const { find } = await open(context)
    const stopping = new AbortController()
    const finding = find([['node-1', 'none.sock']], { signal: stopping.signal })
    stopping.abort(new Error('stopped'))
    await rejects(finding, /^Error: stopped$/)
  })
})
