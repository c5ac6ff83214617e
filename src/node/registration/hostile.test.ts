import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { symlink, writeFile, mkdir, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { formatReason } from '../../api/reason.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import type { CsiHandlers, Dispatcher } from '../../csi/kit/index.ts'
import { openTestDirectory } from '../../csi/testing/open-test-directory.ts'
import { DRIVER, openNode, pluginInfo } from './testing/describe-registration.ts'
import type { NodeUnderTest } from './testing/describe-registration.ts'

/** Takes connections and does with them what it is given. */
async function listenRaw(context: TestContext, path: string, onSocket: (socket: Socket) => void): Promise<Server> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return server
}

/** A driver that answers NodeGetInfo so. */
function driverSaying(nodeGetInfo: NonNullable<CsiHandlers['nodeGetInfo']>): Dispatcher {
  const handlers: CsiHandlers = {
    nodeGetInfo,
    nodePublishVolume: () => Promise.resolve({}),
    nodeUnpublishVolume: () => Promise.resolve({}),
  }
  return defineDriver(
    { name: DRIVER, version: '1', features: { topology: true } },
    { handlers, log: createSilentLogger() },
  )
}

const statusOf = (node: NodeUnderTest, file: string) =>
  node
    .registration()
    .plugins()
    .find(({ path }) => path.endsWith(file))
const codeOf = (node: NodeUnderTest, file: string): string | undefined => statusOf(node, file)?.reason.code

/** A decent driver is registered whatever else is there. */
async function expectDecentDriver(node: NodeUnderTest): Promise<void> {
  await node.startDriver({ name: 'decent.example.com' })
  await node.startRegistrar({ name: 'decent.example.com' })
  await node.until(
    'the decent driver',
    async () => statusOf(node, 'decent.example.com-reg.sock')?.state === 'registered',
  )
  ok(await node.entry('decent.example.com'))
}

describe('a plugin directory full of rubbish', () => {
  test('H18: files, hidden names, links to nothing and stale sockets do no harm, and are told', async (context) => {
    const node = await openNode(context, { start: false })
    const registry = join(node.root, 'plugins_registry')
    await writeFile(join(registry, 'notes.txt'), 'hello')
    await writeFile(join(registry, '.hidden'), 'hello')
    await symlink('/nowhere/at/all', join(registry, 'dangling.sock'))
    await symlink('loop.sock', join(registry, 'loop.sock'))
    // A socket that its process has left behind: under another name than the one that Node removes.
    const stale = await listenRaw(context, join(registry, '.stale'), (socket) => socket.destroy())
    await rename(join(registry, '.stale'), join(registry, 'stale-reg.sock'))
    await new Promise<void>((resolve) => void stale.close(() => resolve()))
    await node.start()
    await node.until('the stale socket', () => codeOf(node, 'stale-reg.sock') === 'NobodyServesSocket')
    equal(codeOf(node, 'notes.txt'), 'NotASocket')
    equal(codeOf(node, 'dangling.sock'), 'NotASocket')
    equal(codeOf(node, 'loop.sock'), 'NotASocket')
    equal(statusOf(node, '.hidden'), undefined)
    ok(node.logged.some((line) => line.includes('notes.txt')))
    await expectDecentDriver(node)
    deepEqual(
      (await node.events()).filter((message) => message.includes('Nobody serves')),
      [],
    )
  })

  test('H18: sockets are found in directories below, behind links, and in directories that come later', async (context) => {
    const node = await openNode(context)
    const driver = await node.startDriver()
    const registry = join(node.root, 'plugins_registry')
    await mkdir(join(registry, 'a', 'b'), { recursive: true })
    const registrar = await node.startRegistrar({ pluginRegistrationPath: join(registry, 'a', 'b') })
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    equal(node.registration().drivers.find(DRIVER)?.endpoint, driver.path)
    await registrar.stop()
    await node.until('gone', () => node.registration().drivers.find(DRIVER) === undefined)
    const elsewhere = join(node.root, 'elsewhere')
    await mkdir(elsewhere)
    const hidden = await node.startRegistrar({ pluginRegistrationPath: elsewhere })
    await symlink(hidden.socketPath(), join(registry, 'link-reg.sock'))
    await node.until('registered', () => statusOf(node, 'link-reg.sock')?.state === 'registered')
  })

  test('a registrar that takes connections and never answers holds up nobody', { timeout: 30_000 }, async (context) => {
    const node = await openNode(context)
    for (const name of ['silent-1', 'silent-2', 'silent-3'])
      await listenRaw(context, join(node.root, 'plugins_registry', `${name}-reg.sock`), () => {})
    await expectDecentDriver(node)
    equal(statusOf(node, 'silent-1-reg.sock')?.state, 'found')
  })

  test('a registrar that answers GetInfo never is given up after a second, and told', async (context) => {
    const node = await openNode(context)
    await node.serveRegistrar('hang-reg.sock', { getInfo: () => new Promise(() => {}) })
    await expectDecentDriver(node)
    await node.until('given up', () => codeOf(node, 'hang-reg.sock') === 'RegistrarNotAnswering')
    match(statusOf(node, 'hang-reg.sock')?.reason.message ?? '', /no answer within 1000 ms/)
    await node.until('an event', async () =>
      (await node.events()).some((message) =>
        message.startsWith('failed to get plugin info from the registration socket'),
      ),
    )
  })

  test('rubbish in place of HTTP/2 is reported and tried again', async (context) => {
    const node = await openNode(context)
    await listenRaw(
      context,
      join(node.root, 'plugins_registry', 'rubbish-reg.sock'),
      (socket) => void socket.end('SSH-2.0-rubbish\r\n'.repeat(100)),
    )
    await expectDecentDriver(node)
    await node.until('reported', () => statusOf(node, 'rubbish-reg.sock')?.state === 'failed')
  })
})

const REFUSALS = {
  PluginTypeUnknown: /^no handler registered for plugin type: DevicePlugin\./,
  DriverNameInvalid: /^invalid driver name "/,
  VersionUnsupported:
    /^RegisterPlugin for CSI driver ".*" failed\. None of the versions specified ".*" are supported\./,
  EndpointInvalid: /^invalid endpoint "csi\.sock" of driver /,
  EndpointOutsideRoot: /^endpoint \S+ of driver \S+ is outside the allowed directories\./,
  EndpointMissing: /^endpoint \S+ of driver \S+ does not exist\./,
  EndpointNotASocket: /^endpoint \S+ of driver \S+ is not a socket but a file\./,
} as const

describe('a registrar that says what it should not', () => {
  const refusals: [
    what: string,
    requirement: string,
    info: (node: NodeUnderTest, driver: string) => ReturnType<typeof pluginInfo>,
    code: keyof typeof REFUSALS,
  ][] = [
    [
      'another type of plugin',
      'S3-10',
      (_node, driver) => ({ ...pluginInfo(driver), type: 'DevicePlugin' }),
      'PluginTypeUnknown',
    ],
    [
      'a name with a path in it',
      'S3-12, H29',
      (_node, driver) => pluginInfo(driver, '../../etc/passwd'),
      'DriverNameInvalid',
    ],
    [
      'a name that is too long',
      'S3-12, H29',
      (_node, driver) => pluginInfo(driver, 'x'.repeat(64)),
      'DriverNameInvalid',
    ],
    ['no name', 'S3-12', (_node, driver) => pluginInfo(driver, ''), 'DriverNameInvalid'],
    ['no version', 'H46', (_node, driver) => pluginInfo(driver, DRIVER, []), 'VersionUnsupported'],
    [
      'versions 0.3 and 2.0',
      'H46',
      (_node, driver) => pluginInfo(driver, DRIVER, ['0.3.0', '2.0', 'soon', '1']),
      'VersionUnsupported',
    ],
    ['a relative endpoint', 'S3-8', () => pluginInfo('csi.sock'), 'EndpointInvalid'],
    ['an endpoint outside the root', 'S3-8', () => pluginInfo('/run/other/csi.sock'), 'EndpointOutsideRoot'],
    [
      'an endpoint that climbs out of the root',
      'S3-8',
      (node) => pluginInfo(`${node.root}/plugins/../../../etc/shadow`),
      'EndpointOutsideRoot',
    ],
    [
      'an endpoint that is not there',
      'S3-8',
      (node) => pluginInfo(join(node.root, 'plugins', 'none.sock')),
      'EndpointMissing',
    ],
    ['an endpoint that is a file', 'S3-8', (node) => pluginInfo(join(node.root, 'file')), 'EndpointNotASocket'],
    [
      'an endpoint behind a link that leads out of the root',
      'S3-8',
      (node) => pluginInfo(join(node.root, 'way-out')),
      'EndpointOutsideRoot',
    ],
  ]
  for (const [what, requirement, info, code] of refusals) {
    test(`${requirement}: ${what} is refused with a reason, and nothing is touched`, async (context) => {
      const node = await openNode(context)
      const driver = await node.startDriver()
      await writeFile(join(node.root, 'file'), '')
      await symlink('/dev/null', join(node.root, 'way-out'))
      const told = Promise.withResolvers<string>()
      const answer = info(node, driver.path)
      await node.serveRegistrar('x-reg.sock', {
        getInfo: () => Promise.resolve(answer),
        notifyRegistrationStatus: ({ error, pluginRegistered }) => {
          told.resolve(pluginRegistered ? 'registered' : error)
          return Promise.resolve({})
        },
      })
      const error = await told.promise
      await node.until('noted', () => codeOf(node, 'x-reg.sock') === code)
      const reason = statusOf(node, 'x-reg.sock')?.reason
      equal(error, reason && formatReason(reason))
      match(error, REFUSALS[code])
      await node.until('an event', async () => (await node.events()).includes(error))
      deepEqual(node.writes, [])
      deepEqual(node.registration().drivers.all(), [])
    })
  }

  test('S3-8: an endpoint in a directory that is allowed is taken, as is unix://', async (context) => {
    const node = await openNode(context, { start: false })
    const directory = await openTestDirectory(context)
    const elsewhere = await node.startDriver({ directory })
    await node.start({ endpointDirectories: [directory] })
    await node.serveRegistrar('x-reg.sock', {
      getInfo: () => Promise.resolve(pluginInfo(`unix://${elsewhere.path}`)),
      notifyRegistrationStatus: () => Promise.resolve({}),
    })
    await node.until('registered', () => statusOf(node, 'x-reg.sock')?.state === 'registered')
    equal(node.registration().drivers.find(DRIVER)?.endpoint, elsewhere.path)
  })

  test('H15: without an endpoint the one of GetCSIDriverInfo counts, and of two the first', async (context) => {
    const node = await openNode(context)
    const [one, two] = [await node.startDriver(), await node.startDriver({ name: 'two.example.com' })]
    const serve = (file: string, info: ReturnType<typeof pluginInfo>, csiEndpoint: string) =>
      node.serveRegistrar(file, {
        getInfo: () => Promise.resolve(info),
        getCSIDriverInfo: () => Promise.resolve({ csiEndpoint, options: { requiresPublishPod: true } }),
        notifyRegistrationStatus: () => Promise.resolve({}),
      })
    await serve('one-reg.sock', pluginInfo('', DRIVER), one.path)
    await serve('two-reg.sock', pluginInfo(two.path, 'two.example.com'), one.path)
    await node.until(
      'both',
      () =>
        node
          .registration()
          .plugins()
          .filter(({ state }) => state === 'registered').length === 2,
    )
    equal(node.registration().drivers.find(DRIVER)?.endpoint, one.path)
    equal(node.registration().drivers.find('two.example.com')?.endpoint, two.path)
    ok(node.logged.some((line) => line.includes('returns two different endpoints')))
  })

  test('S0-26, S0-27: an old registrar without GetCSIDriverInfo registers, without pods', async (context) => {
    const node = await openNode(context)
    const driver = await node.startDriver()
    await node.serveRegistrar(
      'old-reg.sock',
      { getInfo: () => Promise.resolve(pluginInfo(driver.path)), notifyRegistrationStatus: () => Promise.resolve({}) },
      'old',
    )
    await node.until('registered', () => statusOf(node, 'old-reg.sock')?.state === 'registered')
    equal(node.registration().drivers.find(DRIVER)?.requiresPublishPod, false)
  })

  test('H14: a registrar that fails to say registers too, and is asked until it does', async (context) => {
    const node = await openNode(context)
    const driver = await node.startDriver()
    let asked = 0
    await node.serveRegistrar('late-reg.sock', {
      getInfo: () => Promise.resolve(pluginInfo(driver.path)),
      notifyRegistrationStatus: () => Promise.resolve({}),
      getCSIDriverInfo: () =>
        ++asked < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve({ options: { requiresPublishPod: true } }),
    })
    await node.until('registered', () => statusOf(node, 'late-reg.sock')?.state === 'registered')
    equal(node.registration().drivers.find(DRIVER)?.requiresPublishPod, false)
    await node.until('the flag', () => node.registration().drivers.find(DRIVER)?.requiresPublishPod === true)
    equal(asked, 3)
  })
})

describe('two drivers of one name', () => {
  const answers = (endpoint: string, versions: string[], onRefused: (error: string) => void = () => {}) => ({
    getInfo: () => Promise.resolve(pluginInfo(endpoint, DRIVER, versions)),
    notifyRegistrationStatus: ({ pluginRegistered, error }: { pluginRegistered: boolean; error: string }) => {
      if (!pluginRegistered) onRefused(error)
      return Promise.resolve({})
    },
  })

  test('the second is refused, and registered as soon as the first has gone', async (context) => {
    const node = await openNode(context)
    const [one, two] = [
      await node.startDriver(),
      await node.startDriver({ directory: join(node.root, 'plugins', 'second'), nodeId: 'id-2' }),
    ]
    const first = await node.serveRegistrar('one-reg.sock', answers(one.path, ['1.0.0']))
    await node.until('registered', () => statusOf(node, 'one-reg.sock')?.state === 'registered')
    const told = Promise.withResolvers<string>()
    await node.serveRegistrar('two-reg.sock', answers(two.path, ['1.0.0'], told.resolve))
    match(await told.promise, /Another driver with the same name is already registered .*one-reg\.sock/)
    equal(node.registration().drivers.find(DRIVER)?.endpoint, one.path)
    equal((await node.entry())?.nodeID, 'id-1')
    await first.stop({ graceMs: 0 })
    await node.until(
      'taken over',
      async () => statusOf(node, 'two-reg.sock')?.state === 'registered' && (await node.entry())?.nodeID === 'id-2',
    )
    equal(node.registration().drivers.find(DRIVER)?.endpoint, two.path)
  })

  test('one with a higher version takes over; the end of either leaves the other', async (context) => {
    const node = await openNode(context)
    const [one, two] = [
      await node.startDriver(),
      await node.startDriver({ directory: join(node.root, 'plugins', 'second'), nodeId: 'id-2' }),
    ]
    await node.serveRegistrar('one-reg.sock', answers(one.path, ['1.0.0']))
    await node.until('registered', () => statusOf(node, 'one-reg.sock')?.state === 'registered')
    const second = await node.serveRegistrar('two-reg.sock', answers(two.path, ['1.0.0', 'v1.1.0']))
    await node.until(
      'taken over',
      async () => statusOf(node, 'two-reg.sock')?.state === 'registered' && (await node.entry())?.nodeID === 'id-2',
    )
    equal(node.registration().drivers.find(DRIVER)?.endpoint, two.path)
    await second.stop({ graceMs: 0 })
    await node.until('back', async () => (await node.entry())?.nodeID === 'id-1')
    equal(node.registration().drivers.find(DRIVER)?.endpoint, one.path)
  })

  test('one with a higher version that does not answer about the node puts nobody aside', async (context) => {
    const node = await openNode(context)
    const one = await node.startDriver()
    await node.serveRegistrar('one-reg.sock', answers(one.path, ['1.0.0']))
    await node.until('registered', () => statusOf(node, 'one-reg.sock')?.state === 'registered')
    const broken = driverSaying(() => Promise.reject(new Error('broken')))
    const path = join(node.root, 'broken.sock')
    await node.serveAt(path, broken)
    const told = Promise.withResolvers<string>()
    await node.serveRegistrar('two-reg.sock', answers(path, ['1.9.0'], told.resolve))
    match(await told.promise, /RegisterPlugin failed at CSI\.NodeGetInfo/)
    equal(node.registration().drivers.find(DRIVER)?.endpoint, one.path)
    equal((await node.entry())?.nodeID, 'id-1')
  })
})

describe('a driver that fails', () => {
  test('S3-18, S3-22: NodeGetInfo that fails takes out what was published of it before', async (context) => {
    const node = await openNode(context, { config: { graceMs: 60_000 } })
    const first = await node.startDriver()
    const registrar = await node.startRegistrar()
    await node.until(
      'published',
      async () => (await node.entry()) !== undefined && node.registration().plugins()[0]?.state === 'registered',
    )
    await registrar.stop()
    await first.server.stop({ graceMs: 0 })
    await node.serveAt(
      first.path,
      driverSaying(() => Promise.reject(new Error('no disks'))),
    )
    const again = await node.startRegistrar()
    match(await again.refused, /RegisterPlugin failed at CSI\.NodeGetInfo .*no disks/)
    await node.until('taken out', async () => (await node.entry()) === undefined && (await node.nodeIds()) === null)
  })

  test('S3-143: a topology that can be no label is refused before anything is written', async (context) => {
    const node = await openNode(context)
    const path = join(node.root, 'csi.sock')
    await node.serveAt(
      path,
      driverSaying(() => Promise.resolve({ nodeId: 'n', accessibleTopology: { segments: { 'a b': 'c' } } })),
    )
    const registrar = await node.startRegistrar({ csiAddress: path, kubeletRegistrationPath: path })
    match(await registrar.refused, /CSI\.NodeGetInfo .* returned an invalid answer: .*can't be a label/)
    deepEqual(node.writes, [])
  })

  test('S3-13: a driver that was restarted is asked again, and what it says then is published', async (context) => {
    const node = await openNode(context)
    const first = await node.startDriver({ attachLimit: 3 })
    await node.startRegistrar()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    await first.server.stop({ graceMs: 0 })
    await node.startDriver({ attachLimit: 5 })
    await node.until('the new limit', async () => (await node.entry())?.allocatable?.count === 5)
  })
})

describe('older ways', () => {
  test('S0-34, H18: with the option registration sockets in plugins/ are taken too, and driver sockets there are not asked', async (context) => {
    const node = await openNode(context, { config: { watchLegacyDirectory: true } })
    await node.startDriver()
    await node.startRegistrar({ pluginRegistrationPath: join(node.root, 'plugins') })
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    equal(node.registration().plugins().length, 1)
  })

  test('S3-9, H30: with the option a driver that never registered is found at plugins/NAME/csi.sock; a registrar counts more', async (context) => {
    const node = await openNode(context, { config: { assumeDriverSockets: true } })
    await node.startDriver({ topology: { 'example.com/zone': 'a' } })
    await node.startDriver({ name: 'liar.example.com', directory: join(node.root, 'plugins', 'honest.example.com') })
    await node.until('found', async () => (await node.entry()) !== undefined)
    await node.until('refused', () => codeOf(node, 'honest.example.com/csi.sock') === 'DriverNameNotThatOfDirectory')
    equal(node.registration().drivers.find(DRIVER)?.requiresPublishPod, false)
    await node.startRegistrar({ requiresPublishPod: true })
    await node.until('registered', () => node.registration().drivers.find(DRIVER)?.requiresPublishPod === true)
  })
})
