import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { createOn, nodeOf } from '../../testing/objects.ts'
import { DRIVER, NODE, openNode } from './testing/describe-registration.ts'

const ZONE = 'topology.example.com/zone'

describe('a driver with its registrar', () => {
  test('S3-8, S3-10, S3-13, S3-14, S3-20, S3-24, S3-31, S3-36, S3-37, S3-145, S3-149, S0-29, S0-31, H7: is registered, published in order, and can be called', async (context) => {
    const node = await openNode(context)
    const { path } = await node.startDriver({ topology: { [ZONE]: 'a' }, attachLimit: 7 })
    const registrar = await node.startRegistrar()
    await node.until('registered', () => node.logged.some((line) => line.includes('driver registered')))

    const found = node.registration().drivers.find(DRIVER)
    equal(found?.endpoint, path)
    equal(found?.requiresPublishPod, false)
    equal((await found?.driver.getPluginInfo({}))?.name, DRIVER)
    deepEqual(found?.facts, { nodeId: 'id-1', topology: { [ZONE]: 'a' }, maxVolumes: 7 })

    deepEqual((await node.csiNode())?.spec.drivers, [
      { name: DRIVER, nodeID: 'id-1', topologyKeys: [ZONE], allocatable: { count: 7 } },
    ])
    const object = await node.node()
    // The driver's own key as it is, with no prefix of ours.
    deepEqual(object.metadata.labels, { [ZONE]: 'a' })
    equal(JSON.stringify(object.status ?? {}).includes(DRIVER), false)
    deepEqual(await node.nodeIds(), { [DRIVER]: 'id-1' })
    deepEqual((await node.csiNode())?.metadata.ownerReferences, [
      { apiVersion: 'v1', kind: 'Node', name: NODE, uid: object.metadata.uid },
    ])
    await node.until('CSINodeInfo', async () => (await node.api.list(CSI_NODE_INFOS)).items.length > 0)
    const info = await node.api.get(CSI_NODE_INFOS, { name: NODE })
    deepEqual(info.csiDrivers, [{ name: DRIVER, nodeID: 'id-1', topologyKeys: [ZONE] }])
    deepEqual(
      info.metadata.ownerReferences?.map(({ uid }) => uid),
      [object.metadata.uid],
    )
    deepEqual(node.writes, [`patch nodes/status ${NODE}`, `create csinodes ${NODE}`, `create csinodeinfos ${NODE}`])
    deepEqual(
      node
        .registration()
        .plugins()
        .map(({ state, driver, path: socket }) => [state, driver, socket]),
      [['registered', DRIVER, registrar.socketPath()]],
    )
    equal(registrar.driverName(), DRIVER)
  })

  test('S0-24, S0-25, S0-32, S0-33: with --requires-publish-pod its flag is kept, for this driver alone', async (context) => {
    const node = await openNode(context)
    const { path } = await node.startDriver()
    const other = await node.startDriver({ name: 'other.example.com' })
    await node.startRegistrar({ requiresPublishPod: true })
    await node.startRegistrar({ name: 'other.example.com' })
    await node.until(
      'both registered',
      () =>
        node
          .registration()
          .plugins()
          .filter(({ state }) => state === 'registered').length === 2,
    )
    const { drivers } = node.registration()
    const found = [DRIVER, 'other.example.com'].map((name) => drivers.find(name))
    deepEqual(
      found.map((driver) => [driver?.endpoint, driver?.requiresPublishPod]),
      [
        [path, true],
        [other.path, false],
      ],
    )
  })

  test('S3-19, S3-22, S3-23, S3-150, S3-154, H22: is unregistered when its socket goes for good; labels stay', async (context) => {
    const node = await openNode(context)
    await node.startDriver({ topology: { [ZONE]: 'a' } })
    const registrar = await node.startRegistrar()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    await registrar.stop()
    await node.until('unregistered', async () => (await node.nodeIds()) === null)
    equal(node.registration().drivers.find(DRIVER), undefined)
    deepEqual((await node.csiNode())?.spec.drivers ?? [], [])
    deepEqual((await node.api.get(CSI_NODE_INFOS, { name: NODE })).csiDrivers, [])
    equal((await node.node()).metadata.labels?.[ZONE], 'a')
  })

  test('H22: keeps its place when the registrar is only restarted, without a write', async (context) => {
    const node = await openNode(context, { config: { graceMs: 60_000 } })
    await node.startDriver({ topology: { [ZONE]: 'a' } })
    const first = await node.startRegistrar()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    await node.until('CSINodeInfo', () => node.writes.length === 3)
    await first.stop()
    await node.until('gone', () => node.registration().plugins().length === 0)
    ok(node.registration().drivers.find(DRIVER), 'it still serves')
    await node.startRegistrar()
    await node.until('registered again', () => node.registration().plugins()[0]?.state === 'registered')
    equal(node.writes.length, 3)
  })

  test('H22: a restart of the node agent is no unregistration, and writes nothing', async (context) => {
    const node = await openNode(context)
    await node.startDriver({ topology: { [ZONE]: 'a' } })
    await node.startRegistrar()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    await node.until('CSINodeInfo', () => node.writes.length === 3)
    await node.stop()
    equal((await node.entry())?.nodeID, 'id-1')
    await node.start()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    equal(node.writes.length, 3)
  })

  test('S3-154: a driver that went while the node agent was away is taken out once all sockets have answered', async (context) => {
    const node = await openNode(context)
    await node.startDriver()
    const registrar = await node.startRegistrar()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    await node.stop()
    await registrar.stop()
    await node.start({ graceMs: 50 })
    await node.until('taken out', async () => (await node.nodeIds()) === null && (await node.entry()) === undefined)
  })

  test('S3-17, H20: which comes back as another node replaces its entry by two writes, and leaves others alone', async (context) => {
    const node = await openNode(context, { config: { graceMs: 60_000 } })
    await node.startDriver({ name: 'other.example.com', nodeId: 'other-1' })
    await node.startRegistrar({ name: 'other.example.com' })
    const { server } = await node.startDriver({ nodeId: 'id-1' })
    const first = await node.startRegistrar()
    await node.until('both', async () => (await node.csiNode())?.spec.drivers?.length === 2)
    await node.until('both registered', () =>
      node
        .registration()
        .plugins()
        .every(({ state }) => state === 'registered'),
    )
    await first.stop()
    await server.stop({ graceMs: 0 })
    await node.startDriver({ nodeId: 'id-2', topology: { [ZONE]: 'b' } })
    await node.startRegistrar()
    await node.until('the new entry', async () => (await node.entry())?.nodeID === 'id-2')
    // The server returns an empty list as null, like that of Kubernetes.
    deepEqual((await node.csiNode())?.spec.drivers, [
      { name: 'other.example.com', nodeID: 'other-1', topologyKeys: null },
      { name: DRIVER, nodeID: 'id-2', topologyKeys: [ZONE] },
    ])
    deepEqual(await node.nodeIds(), { 'other.example.com': 'other-1', [DRIVER]: 'id-2' })
  })

  test('S3-37: makes the CSINode anew when it belongs to an older node of the same name', async (context) => {
    const node = await openNode(context, { start: false })
    const stranger = { apiVersion: 'v1', kind: 'Node', name: NODE, uid: 'of-another-life' }
    await node.api.create(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: NODE, ownerReferences: [stranger] },
      spec: { drivers: [{ name: DRIVER, nodeID: 'old', topologyKeys: [] }] },
    })
    await node.start()
    await node.startDriver()
    await node.startRegistrar()
    await node.until('the new entry', async () => (await node.entry())?.nodeID === 'id-1')
    deepEqual(
      (await node.csiNode())?.metadata.ownerReferences?.map(({ uid }) => uid),
      [(await node.node()).metadata.uid],
    )
  })

  test('S3-13: waits for the node object, and publishes anew for one that was made anew', async (context) => {
    const node = await openNode(context, { start: false })
    await node.api.delete(NODES, { name: NODE })
    await node.start()
    await node.startDriver({ topology: { [ZONE]: 'a' } })
    await node.startRegistrar()
    await node.until('known', () => node.registration().plugins()[0]?.reason.code === 'NotYetPublished')
    ok(node.registration().drivers.find(DRIVER), 'it can be called already')
    for (const _life of [1, 2]) {
      const made = await createOn(node.api, NODES, nodeOf(NODE))
      const isPublished = async (): Promise<boolean> => {
        const object = await node.csiNode()
        return object?.metadata.ownerReferences?.[0]?.uid === made.metadata.uid && object?.spec.drivers?.length === 1
      }
      await node.until(
        'published for this node',
        async () => (await isPublished()) && (await node.node()).metadata.labels?.[ZONE] === 'a',
      )
      if (_life === 1) await node.api.delete(NODES, { name: NODE })
    }
  })
})

describe('what the node may not write', () => {
  test('S3-24, S3-147, H21: a label that has another value refuses the driver, names the key, and writes nothing', async (context) => {
    const node = await openNode(context, { labels: { [ZONE]: 'b' } })
    await node.startDriver({ topology: { [ZONE]: 'a' } })
    const registrar = await node.startRegistrar()
    const error = await registrar.refused
    match(
      error,
      /detected topology value collision: driver reported "topology\.example\.com\/zone":"a" but existing label is "topology\.example\.com\/zone":"b"/,
    )
    deepEqual(node.writes, [])
    equal((await node.node()).metadata.labels?.[ZONE], 'b')
    await node.until('an event', async () =>
      (await node.events()).some((message) => message.includes('detected topology value collision')),
    )
    // Put right, the next try succeeds by itself.
    await node.api.patch(NODES, { name: NODE }, { type: 'merge', value: { metadata: { labels: { [ZONE]: null } } } })
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
  })

  test('S3-24, H21: with the option a driver may change the value of a label that it wrote itself, and of no other', async (context) => {
    const node = await openNode(context, {
      config: { overwriteOwnLabels: true, graceMs: 60_000 },
      labels: { 'example.com/rack': 'r1' },
    })
    const first = await node.startDriver({ topology: { [ZONE]: 'a' } })
    const registrar = await node.startRegistrar()
    await node.until('registered', () => node.registration().plugins()[0]?.state === 'registered')
    await registrar.stop()
    await first.server.stop({ graceMs: 0 })
    await node.startDriver({ topology: { [ZONE]: 'b' } })
    const second = await node.startRegistrar()
    await node.until('moved', async () => (await node.node()).metadata.labels?.[ZONE] === 'b')
    await second.stop()
    await node.startDriver({ name: 'rack.example.com', topology: { 'example.com/rack': 'r2' } })
    match(await (await node.startRegistrar({ name: 'rack.example.com' })).refused, /example\.com\/rack/)
  })

  test('S3-148: a topology key that NodeRestriction keeps from nodes refuses this driver and no other', async (context) => {
    const node = await openNode(context)
    await node.startDriver({ topology: { 'topology.k8s.io/zone': 'a' } })
    await node.startDriver({ name: 'other.example.com', topology: { [ZONE]: 'a' } })
    const registrar = await node.startRegistrar()
    await node.startRegistrar({ name: 'other.example.com' })
    match(await registrar.refused, /error updating CSINode object with CSI driver node info: .*topology\.k8s\.io\/zone/)
    await node.until('the other', async () => (await node.entry('other.example.com')) !== undefined)
    equal(await node.entry(), undefined)
  })

  test('H23: a malformed annotation refuses the driver and is left as it is', async (context) => {
    const annotations = { 'csi.volume.kubernetes.io/nodeid': '{"a": ' }
    const node = await openNode(context, { annotations })
    await node.startDriver()
    match(
      await (
        await node.startRegistrar()
      ).refused,
      /failed to parse node's "csi\.volume\.kubernetes\.io\/nodeid" annotation value/,
    )
    equal((await node.node()).metadata.annotations?.['csi.volume.kubernetes.io/nodeid'], '{"a": ')
  })

  test('S3-20: ids of other drivers in the annotation are kept', async (context) => {
    const node = await openNode(context, {
      annotations: { 'csi.volume.kubernetes.io/nodeid': '{"z.example.com":"z"}' },
    })
    await node.startDriver()
    await node.startRegistrar()
    await node.until('published', async () => (await node.entry()) !== undefined)
    deepEqual(await node.nodeIds(), { [DRIVER]: 'id-1', 'z.example.com': 'z' })
  })
})
