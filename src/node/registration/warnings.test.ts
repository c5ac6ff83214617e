import { equal, match } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createSystemHost, makeDirectories } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import type { CsiHandlers, RunningServer } from '../../csi/kit/index.ts'
import { createComplaints } from './plugin-notices.ts'
import { DRIVER, openNode, pluginInfo } from './testing/describe-registration.ts'
import type { NodeUnderTest } from './testing/describe-registration.ts'

const LIMIT = { timeout: 60_000 }
const OTHER = 'other.example.com'

/** A driver that calls itself so, at the place where one called DRIVER belongs. */
async function serveAs(
  node: NodeUnderTest,
  name: string,
  nodeGetInfo: NonNullable<CsiHandlers['nodeGetInfo']> = () => Promise.resolve({ nodeId: 'id-1' }),
): Promise<RunningServer & { path: string }> {
  const directory = join(node.root, 'plugins', DRIVER)
  await makeDirectories(createSystemHost().files, directory)
  const handlers: CsiHandlers = {
    nodeGetInfo,
    nodePublishVolume: () => Promise.resolve({}),
    nodeUnpublishVolume: () => Promise.resolve({}),
  }
  return node.serveAt(
    join(directory, 'csi.sock'),
    defineDriver({ name, version: '1' }, { handlers, log: createSilentLogger() }),
  )
}
const registrarOf = (node: NodeUnderTest, endpoint: string) =>
  node.serveRegistrar(`${DRIVER}-reg.sock`, {
    getInfo: () => Promise.resolve(pluginInfo(endpoint)),
    notifyRegistrationStatus: () => Promise.resolve({}),
  })
const isRegistered = (node: NodeUnderTest): boolean => node.registration().plugins()[0]?.state === 'registered'
const linesWith = (node: NodeUnderTest, text: string): string[] => node.logged.filter((line) => line.includes(text))

describe('a driver with another name than its registrar says', () => {
  test('is registered, and log and an event on the node name both', LIMIT, async (context) => {
    const node = await openNode(context)
    const driver = await serveAs(node, OTHER)
    await registrarOf(node, driver.path)
    await node.until('registered', () => isRegistered(node))
    const isTold = (message: string): boolean =>
      message.startsWith(`the driver at ${driver.path} is registered as ${DRIVER} but calls itself ${OTHER}.`)
    await node.until('an event', async () => (await node.events()).some(isTold))
    const [line = '', ...more] = linesWith(node, 'has another name')
    equal(more.length, 0)
    match(line, new RegExp(`"registered":"${DRIVER}","reported":"${OTHER}"`))
  })

  test('is told of when it comes back at its socket under that name', LIMIT, async (context) => {
    const node = await openNode(context)
    const first = await serveAs(node, DRIVER)
    await registrarOf(node, first.path)
    await node.until('registered', () => isRegistered(node))
    await first.stop({ graceMs: 0 })
    await serveAs(node, OTHER)
    await node.until('an event', async () =>
      (await node.events()).some((message) => message.includes(`calls itself ${OTHER}`)),
    )
    equal(linesWith(node, 'has another name').length, 1)
    equal(isRegistered(node), true)
  })

  test('is not told of when it is the same', LIMIT, async (context) => {
    const node = await openNode(context)
    const asked = Promise.withResolvers<void>()
    const first = await node.startDriver()
    await node.startRegistrar()
    await node.until('registered', () => isRegistered(node))
    await first.server.stop({ graceMs: 0 })
    const again = await serveAs(node, DRIVER, () => {
      asked.resolve()
      return Promise.resolve({ nodeId: 'id-2' })
    })
    await asked.promise
    await node.until('published', async () => (await node.entry())?.nodeID === 'id-2')
    await again.stop({ graceMs: 0 })
    equal(linesWith(node, 'has another name').length, 0)
  })
})

describe('a driver whose NodeGetInfo fails', () => {
  test(
    'is asked again, and each error is logged once however often its registrar makes a new socket',
    LIMIT,
    async (context) => {
      const node = await openNode(context)
      let [calls, error] = [0, 'no disks']
      await serveAs(node, DRIVER, () => {
        calls++
        throw new Error(error)
      })
      for (const [text, until] of [
        ['no disks', 4],
        ['no network', 8],
      ] as const) {
        error = text
        while (calls < until) {
          const registrar = await node.startRegistrar()
          match(await registrar.refused, /RegisterPlugin failed at CSI\.NodeGetInfo/)
          await registrar.stop()
          await node.until('gone', () => node.registration().plugins().length === 0)
        }
        equal(linesWith(node, text).length, 1, linesWith(node, text).join(''))
      }
    },
  )

  test('a complaint is repeated after a while, and when the plugin has worked in between', () => {
    let nowMs = 0
    const complaints = createComplaints({ monotonicMs: () => nowMs })
    const isNew = (text: string): boolean => complaints.isNew('/a', text)
    equal(
      [isNew('x'), isNew('x'), isNew('y'), isNew('x'), complaints.isNew('/b', 'x')].join(),
      'true,false,true,false,true',
    )
    complaints.forget('/a')
    equal(isNew('x'), true)
    nowMs = 600_000
    equal(isNew('x'), true)
  })
})

test('H30: a driver that was only found serves again when its registrar has gone', LIMIT, async (context) => {
  const node = await openNode(context, { config: { assumeDriverSockets: true } })
  await node.startDriver()
  const serving = () => node.registration().drivers.find(DRIVER)
  await node.until('found', async () => (await node.entry()) !== undefined)
  const second = await node.startDriver({ directory: join(node.root, 'elsewhere'), nodeId: 'id-2' })
  const registrar = await node.startRegistrar({ csiAddress: second.path, kubeletRegistrationPath: second.path })
  await node.until('taken over', async () => (await node.entry())?.nodeID === 'id-2')
  equal(serving()?.endpoint, second.path)
  await registrar.stop()
  await node.until('back', async () => (await node.entry())?.nodeID === 'id-1')
  equal(serving()?.endpoint, join(node.root, 'plugins', DRIVER, 'csi.sock'))
})
