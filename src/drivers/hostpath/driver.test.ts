import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import {
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  NodeServiceCapability_RPC_Type as NodeRpc,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import { openDriver } from './testing/hostpath-under-test.ts'
import type { DriverOptions } from './testing/hostpath-under-test.ts'

const named = (table: Record<string, number>, value: number | undefined): string =>
  Object.entries(table).find(([, number]) => number === value)?.[0] ?? ''

async function capabilities(options: DriverOptions) {
  const { driver } = await openDriver(options)
  const plugin = (await driver.getPluginCapabilities({})).capabilities.map(({ type }) =>
    type?.$case === 'service' ? named(Service, type.value.type) : 'EXPANSION',
  )
  const controller = (await driver.controllerGetCapabilities({})).capabilities.map(({ type }) =>
    named(ControllerRpc, type?.value.type),
  )
  const node = (await driver.nodeGetCapabilities({})).capabilities.map(({ type }) => named(NodeRpc, type?.value.type))
  return { plugin, controller, node }
}

test('the driver tells its name, and that it is ready', async () => {
  const { driver } = await openDriver()
  deepEqual(await driver.getPluginInfo({}), { name: 'hostpath.example.org', vendorVersion: '1.0.0', manifest: {} })
  deepEqual(await driver.probe({}), { ready: true })
})

test('the driver announces attaching and topology only where they are on', async () => {
  const plain = await capabilities({})
  const full = await capabilities({ attach: true, nodes: [{ id: 'node-1', topology: { zone: 'a' } }] })
  const added = (kind: keyof typeof plain): string[] => full[kind].filter((name) => !plain[kind].includes(name))
  deepEqual(added('plugin'), ['VOLUME_ACCESSIBILITY_CONSTRAINTS', 'SNAPSHOT_ACCESSIBILITY_CONSTRAINTS'])
  deepEqual(added('controller'), ['PUBLISH_UNPUBLISH_VOLUME', 'PUBLISH_READONLY', 'LIST_VOLUMES_PUBLISHED_NODES'])
  deepEqual(added('node'), [])
  deepEqual(plain.plugin.sort(), [
    'CONTROLLER_SERVICE',
    'EXPANSION',
    'GROUP_CONTROLLER_SERVICE',
    'SNAPSHOT_METADATA_SERVICE',
  ])
})

test('the driver announces no call twice, and every one that it answers', async () => {
  const { controller, node } = await capabilities({ attach: true })
  equal(new Set(controller).size, controller.length)
  deepEqual(
    Object.keys(ControllerRpc).filter((name) => !controller.includes(name)),
    ['UNKNOWN'],
  )
  deepEqual(
    Object.keys(NodeRpc).filter((name) => !node.includes(name)),
    ['UNKNOWN', 'VOLUME_MOUNT_GROUP'],
  )
})

test('a node tells its id, its place and its limit', async () => {
  const { on } = await openDriver({
    attach: true,
    nodes: [{ id: 'node-1', topology: { zone: 'a' }, attachLimit: 7 }, { id: 'node-2' }],
  })
  deepEqual(await on('node-1').nodeGetInfo({}), {
    nodeId: 'node-1',
    maxVolumesPerNode: 7n,
    accessibleTopology: { segments: { zone: 'a' } },
  })
  deepEqual(await on('node-2').nodeGetInfo({}), {
    nodeId: 'node-2',
    maxVolumesPerNode: 0n,
    accessibleTopology: undefined,
  })
})

test('one node can not be served twice', async () => {
  await rejects(openDriver({ nodes: [{ id: 'node-1' }, { id: 'node-1' }] }), /node node-1 is already being served/)
})
