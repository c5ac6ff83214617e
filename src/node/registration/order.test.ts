import { deepEqual, equal } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSilentLogger } from '../../base/logger.ts'
import { createSystemHost, makeDirectories } from '../../base/host/index.ts'
import { defineDriver } from '../../csi/kit/index.ts'
import { DRIVER, openNode, pluginInfo } from './testing/describe-registration.ts'

const HELD = ['GetInfo', 'GetCSIDriverInfo', 'NodeGetInfo']

test('S0-35: GetInfo, GetCSIDriverInfo, the flag, the driver itself, and at last the registrar is told: each waits for the one before', async (context) => {
  const node = await openNode(context)
  const happened: string[] = []
  const gates = new Map(
    HELD.map((call) => [call, { called: Promise.withResolvers<void>(), answer: Promise.withResolvers<void>() }]),
  )
  /** What is known of the driver at the time of the call. The answer comes once the test allows it. */
  const note = async (call: string): Promise<void> => {
    const found = node.registration().drivers.find(DRIVER)
    const line = `${call}, flag ${found ? found.requiresPublishPod : 'unknown'}, ${(await node.entry()) ? 'published' : 'not published'}`
    // On a busy machine the agent may lose patience and ask the same again.
    if (happened.at(-1) !== line) happened.push(line)
    gates.get(call)?.called.resolve()
    await gates.get(call)?.answer.promise
  }
  const directory = join(node.root, 'plugins', DRIVER)
  await makeDirectories(createSystemHost().files, directory)
  const endpoint = join(directory, 'csi.sock')
  await node.serveAt(
    endpoint,
    defineDriver(
      { name: DRIVER, version: '1' },
      {
        handlers: {
          nodeGetInfo: async () => {
            await note('NodeGetInfo')
            return { nodeId: 'id-1' }
          },
          nodePublishVolume: () => Promise.resolve({}),
          nodeUnpublishVolume: () => Promise.resolve({}),
        },
        log: createSilentLogger(),
      },
    ),
  )
  deepEqual(happened, [], 'the socket of a driver alone is nothing')

  let told: { pluginRegistered: boolean; error: string } | undefined
  await node.serveRegistrar('foo-reg.sock', {
    getInfo: async () => {
      await note('GetInfo')
      return pluginInfo(endpoint)
    },
    getCSIDriverInfo: async () => {
      await note('GetCSIDriverInfo')
      return { csiEndpoint: endpoint, options: { requiresPublishPod: true } }
    },
    notifyRegistrationStatus: async (status) => {
      await note('NotifyRegistrationStatus')
      told = { pluginRegistered: status.pluginRegistered, error: status.error }
      return {}
    },
  })
  const expected = [
    'GetInfo, flag unknown, not published',
    'GetCSIDriverInfo, flag unknown, not published',
    'NodeGetInfo, flag true, not published',
    'NotifyRegistrationStatus, flag true, published',
  ]
  for (const [index, call] of HELD.entries()) {
    await gates.get(call)?.called.promise
    // A step that does not wait for the answer would come now.
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
    deepEqual(happened, expected.slice(0, index + 1))
    gates.get(call)?.answer.resolve()
  }
  await node.until('the registrar is told', () => told !== undefined)
  deepEqual(happened, expected)
  deepEqual(told, { pluginRegistered: true, error: '' })
  const found = node.registration().drivers.find(DRIVER)
  deepEqual([found?.endpoint, found?.requiresPublishPod], [endpoint, true])
  equal((await node.entry())?.nodeID, 'id-1')
})
