import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Registry } from 'prom-client'
import { ApiError } from '../../../api/api-error.ts'
import type { Api } from '../../../api/api.ts'
import { CSI_NODES } from '../../../api/kinds/csi-node.ts'
import { CSI_STORAGE_CAPACITIES } from '../../../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../../api/kinds/storage-class.ts'
import type { KubeObject, OwnerReference } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { createNodeInfo, CSI_NODE_INFOS } from '../../../compat/alpha-csi-node-info.ts'
import { CsiError } from '../../../csi/index.ts'
import { createQueueMetrics } from '../../../kube/controller/queue-metrics.ts'
import { DRIVER, testNode, testVolume } from '../testing/objects.ts'
import { addNode, GI, lateClass, NAMESPACE, startCapacityWorld } from './testing/describe-capacity.ts'
import type { CapacityWorldOptions } from './testing/describe-capacity.ts'

const inZone = (zone: string) =>
  testVolume({
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
    },
  })

describe('published room', () => {
  test('there is one object for each class and segment', async (context) => {
    const world = await startCapacityWorld(context)
    deepEqual(await world.published(), ['fast {"zone":"a"} 1Gi', 'fast {"zone":"b"} 1Gi'])
    const [object] = (await world.api.list(CSI_STORAGE_CAPACITIES)).items
    match(object?.metadata.name ?? '', /^csisc-/)
    deepEqual(object?.metadata.labels, {
      'csi.storage.k8s.io/drivername': DRIVER,
      'csi.storage.k8s.io/managed-by': 'external-provisioner',
    })
    equal(object?.metadata.ownerReferences, undefined)
  })
  test('S3-43, H49: the driver is asked with the parameters of the class but the reserved ones', async (context) => {
    const parameters = { type: 'ssd', 'csi.storage.k8s.io/fstype': 'xfs' }
    const world = await startCapacityWorld(context, {
      before: async ({ api }) =>
        void (await api.create(STORAGE_CLASSES, lateClass({ metadata: { name: 'other' }, parameters }))),
    })
    deepEqual(world.asked.filter((line) => line.includes('"a"')).sort(), [
      '{"zone":"a"} {"type":"ssd"}',
      '{"zone":"a"} {}',
    ])
  })
  test('a class that is no good for volumes gets none', async (context) => {
    const world = await startCapacityWorld(context, {
      before: async ({ api }) => {
        await api.create(
          STORAGE_CLASSES,
          lateClass({ metadata: { name: 'foreign' }, provisioner: 'other.example.com' }),
        )
        await api.create(
          STORAGE_CLASSES,
          lateClass({ metadata: { name: 'wrong' }, parameters: { 'csi.storage.k8s.io/unknown': 'x' } }),
        )
        await api.create(STORAGE_CLASSES, lateClass({ metadata: { name: 'now' }, volumeBindingMode: 'Immediate' }))
      },
    })
    equal((await world.published()).length, 2)
  })
  test('a class that changes in nothing that the driver sees is not asked about', async (context) => {
    const world = await startCapacityWorld(context)
    await world.api.patch(
      STORAGE_CLASSES,
      { name: 'fast' },
      { type: 'merge', value: { metadata: { labels: { a: 'b' } } } },
    )
    await world.advance(5000)
    equal(world.asked.length, 2)
  })
  test('classes with immediate binding have it on demand', async (context) => {
    const before = async ({ api }: { api: Api }) =>
      void (await api.create(STORAGE_CLASSES, lateClass({ metadata: { name: 'now' }, volumeBindingMode: 'Immediate' })))
    const world = await startCapacityWorld(context, { config: { capacityForImmediateBinding: true }, before })
    equal((await world.published()).length, 4)
  })
  test('classes and segments that come and go take their objects along', async (context) => {
    const world = await startCapacityWorld(context)
    const { api } = world
    await addNode(api, 'c1', { zone: 'c' })
    await api.create(STORAGE_CLASSES, lateClass({ metadata: { name: 'slow' } }))
    await world.settled()
    equal((await world.published()).length, 6)
    await api.delete(STORAGE_CLASSES, { name: 'fast' })
    await api.delete(CSI_NODES, { name: 'a1' })
    await api.delete(NODES, { name: 'b1' })
    await world.settled()
    deepEqual(await world.published(), ['slow {"zone":"a"} 1Gi', 'slow {"zone":"c"} 1Gi'])
  })
  test('H55: a node that only CSINodeInfo has belongs to a segment as well', async (context) => {
    const world = await startCapacityWorld(context)
    await world.api.create(NODES, testNode('c1', { zone: 'c' }))
    await world.api.create(CSI_NODE_INFOS, {
      ...createNodeInfo({ name: 'c1' }),
      csiDrivers: [{ name: DRIVER, nodeID: 'c1', topologyKeys: ['zone'] }],
    })
    await world.settled()
    deepEqual(await world.published(), ['fast {"zone":"a"} 1Gi', 'fast {"zone":"b"} 1Gi', 'fast {"zone":"c"} 1Gi'])
    await world.api.delete(CSI_NODE_INFOS, { name: 'c1' })
    await world.settled()
    deepEqual(await world.published(), ['fast {"zone":"a"} 1Gi', 'fast {"zone":"b"} 1Gi'])
  })
  test('an instance on a node tells of its own segment, under its own label, and looks at no node', async (context) => {
    const world = await startCapacityWorld(context, {
      parts: { ownNode: { name: 'a1', segments: { zone: 'a', rack: '7' } } },
    })
    deepEqual(await world.published(), ['fast {"rack":"7","zone":"a"} 1Gi'])
    equal(
      (await world.api.list(CSI_STORAGE_CAPACITIES)).items[0]?.metadata.labels?.['csi.storage.k8s.io/managed-by'],
      'external-provisioner-a1',
    )
  })
  test('a driver without topology keys has one object for all nodes, and is asked about no place', async (context) => {
    const world = await startCapacityWorld(context, {
      before: async ({ api }) => {
        for (const name of ['a1', 'a2', 'b1']) await api.delete(CSI_NODES, { name })
        await addNode(api, 'n1', {}, [])
      },
    })
    deepEqual(await world.published(), ['fast {} 1Gi'])
    deepEqual(world.asked, ['null {}'])
  })
})

describe('changes of room', () => {
  test('all is asked anew after each interval, and only what changed is written', async (context) => {
    const world = await startCapacityWorld(context)
    equal(world.asked.length, 2)
    world.writes.length = 0
    world.answer = ({ accessibleTopology }) =>
      Promise.resolve({
        availableCapacity: accessibleTopology?.segments['zone'] === 'a' ? 5n * GI : GI,
        maximumVolumeSize: GI,
      })
    await world.advance(59_999)
    equal(world.asked.length, 2)
    await world.advance(1)
    equal(world.asked.length, 4)
    deepEqual(await world.published(), ['fast {"zone":"a"} 5Gi 1Gi', 'fast {"zone":"b"} 1Gi 1Gi'])
    equal(world.writes.length, 2)
    await world.advance(60_000)
    equal(world.asked.length, 6)
    equal(world.writes.length, 2)
  })
  test('questions do not pile up when the driver is slower than the interval', async (context) => {
    const world = await startCapacityWorld(context, { config: { timeoutMs: 1_000_000, capacityPollIntervalMs: 1000 } })
    const waiting: (() => void)[] = []
    world.answer = () => new Promise((resolve) => waiting.push(() => resolve({ availableCapacity: GI })))
    await world.clock.advance(60_000)
    equal(waiting.length, 1)
    waiting[0]?.()
    await world.clock.advance(30_000)
    equal(waiting.length, 2)
    world.answer = () => Promise.resolve({ availableCapacity: GI })
    waiting[1]?.()
    await world.settled()
    // The other pair has been due since its answer, and is asked once; the one that was answered just now is not.
    equal(world.asked.length, 5)
    equal(world.asked.at(-1), world.asked[2])
    await world.advance(999)
    equal(world.asked.length, 5)
    await world.advance(1)
    equal(world.asked.length, 7)
  })
  test('what changes the capacity while the driver is being asked is another question', async (context) => {
    const world = await startCapacityWorld(context)
    await world.advance(5000)
    world.asked.length = 0
    let answer = (): void => {}
    world.answer = () => new Promise((resolve) => (answer = () => resolve({ availableCapacity: GI })))
    world.tracker.onVolumeChange?.(inZone('a'))
    await world.clock.advance(100)
    world.tracker.onVolumeChange?.(inZone('a'))
    world.tracker.onVolumeChange?.(inZone('a'))
    world.answer = () => Promise.resolve({ availableCapacity: 2n * GI })
    answer()
    await world.settled()
    equal(world.asked.length, 1)
    await world.advance(1000)
    equal(world.asked.length, 2)
    deepEqual(await world.published(), ['fast {"zone":"a"} 2Gi', 'fast {"zone":"b"} 1Gi'])
  })
  test('a volume that was made or deleted has its place looked at, for all classes', async (context) => {
    const world = await startCapacityWorld(context, {
      before: async ({ api }) => void (await api.create(STORAGE_CLASSES, lateClass({ metadata: { name: 'slow' } }))),
    })
    await world.advance(5000)
    world.asked.length = 0
    world.tracker.onVolumeChange?.(inZone('a'))
    await world.settled()
    deepEqual(world.asked, ['{"zone":"a"} {}', '{"zone":"a"} {}'])
    await world.advance(5000)
    world.tracker.onVolumeChange?.(inZone('b'))
    await world.settled()
    equal(world.asked.length, 4)
    equal(world.asked.at(-1), '{"zone":"b"} {}')
  })
  test('a volume that says less of its place than segments do has all of them looked at', async (context) => {
    const world = await startCapacityWorld(context, {
      parts: { ownNode: { name: 'a1', segments: { zone: 'a', rack: '7' } } },
    })
    await world.advance(5000)
    world.tracker.onVolumeChange?.(inZone('a'))
    await world.settled()
    equal(world.asked.length, 2)
    await world.advance(5000)
    world.tracker.onVolumeChange?.(inZone('b'))
    await world.settled()
    equal(world.asked.length, 2)
  })
  test('a volume without a place, or one that was not made, has its class looked at', async (context) => {
    const world = await startCapacityWorld(context, {
      before: async ({ api }) =>
        void (await api.create(
          STORAGE_CLASSES,
          lateClass({ metadata: { name: 'slow' }, parameters: { slow: 'yes' } }),
        )),
    })
    await world.advance(5000)
    world.asked.length = 0
    world.tracker.onProvisionFailed?.('slow')
    world.tracker.onProvisionFailed?.('unknown')
    await world.settled()
    deepEqual(world.asked.sort(), ['{"zone":"a"} {"slow":"yes"}', '{"zone":"b"} {"slow":"yes"}'])
    await world.advance(5000)
    world.tracker.onVolumeChange?.(testVolume())
    await world.settled()
    deepEqual(world.asked.slice(2).sort(), ['{"zone":"a"} {}', '{"zone":"b"} {}'])
  })
  test('a storm of volumes is one question a second', async (context) => {
    const world = await startCapacityWorld(context)
    await world.advance(5000)
    world.asked.length = 0
    for (let count = 0; count < 100; count++) {
      world.tracker.onVolumeChange?.(inZone('a'))
      await world.advance(50)
    }
    ok(world.asked.length <= 6, `${world.asked.length} questions in 5 s`)
    ok(world.asked.length >= 5)
  })
  test('a driver that fails is asked with growing pauses, and what it said last stays', async (context) => {
    const world = await startCapacityWorld(context)
    world.answer = () => Promise.reject(new CsiError('INTERNAL', 'no idea'))
    world.asked.length = 0
    await world.advance(60_000)
    equal(world.asked.length, 2)
    await world.advance(1000)
    equal(world.asked.length, 4)
    await world.advance(1000)
    equal(world.asked.length, 4)
    // 1, 2, 4 … s to 5 min: the interval of a minute brings no more.
    await world.advance(600_000)
    equal(world.asked.length, 2 * 10)
    equal((await world.published()).length, 2)
    world.answer = () => Promise.resolve({ availableCapacity: 7n * GI })
    await world.advance(300_000)
    deepEqual(await world.published(), ['fast {"zone":"a"} 7Gi', 'fast {"zone":"b"} 7Gi'])
  })
})

describe('objects and others', () => {
  test('what others delete comes back, and what they change is put right, without a question', async (context) => {
    const world = await startCapacityWorld(context)
    const [one, other] = (await world.api.list(CSI_STORAGE_CAPACITIES)).items
    ok(one && other)
    await world.api.delete(CSI_STORAGE_CAPACITIES, { namespace: NAMESPACE, name: one.metadata.name ?? '' })
    await world.api.update(CSI_STORAGE_CAPACITIES, { ...other, capacity: '9Gi' })
    await world.settled()
    deepEqual(await world.published(), ['fast {"zone":"a"} 1Gi', 'fast {"zone":"b"} 1Gi'])
    equal(world.asked.length, 2)
  })
  test('what was created is not created again while the watch does not show it, and updated as it was created', async (context) => {
    const world = await startCapacityWorld(context, {
      apiOf: ({ api }) => ({
        ...api,
        watch: async function* (type, options) {
          for await (const event of api.watch(type, options))
            if (event.type === 'BOOKMARK' || type.plural !== 'csistoragecapacities') yield event
        },
      }),
    })
    await world.advance(5000)
    world.writes.length = 0
    world.answer = () => Promise.resolve({ availableCapacity: 2n * GI })
    world.tracker.onVolumeChange?.(inZone('a'))
    await world.advance(5000)
    deepEqual(await world.published(), ['fast {"zone":"a"} 2Gi', 'fast {"zone":"b"} 1Gi'])
    equal(world.writes.length, 1)
  })
  test('of two that tell of the same one goes, and so does one that selects nodes in another way', async (context) => {
    const world = await startCapacityWorld(context)
    const { items: before } = await world.api.list(CSI_STORAGE_CAPACITIES)
    const [kept] = before
    ok(kept)
    await world.advance(2000)
    const copy = (name: string, more: object = {}) => ({
      ...kept,
      ...more,
      metadata: { namespace: NAMESPACE, name, labels: { ...kept.metadata.labels } },
    })
    await world.api.create(CSI_STORAGE_CAPACITIES, copy('twin'))
    await world.api.create(
      CSI_STORAGE_CAPACITIES,
      copy('strange', { nodeTopology: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } }),
    )
    await world.settled()
    deepEqual(
      (await world.api.list(CSI_STORAGE_CAPACITIES)).items.map(({ metadata }) => metadata.name),
      before.map(({ metadata }) => metadata.name),
    )
  })
  test('what others publish is theirs', async (context) => {
    const world = await startCapacityWorld(context)
    const labels = { 'csi.storage.k8s.io/drivername': DRIVER, 'csi.storage.k8s.io/managed-by': 'somebody' }
    await world.api.create(CSI_STORAGE_CAPACITIES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { namespace: NAMESPACE, name: 'theirs', labels },
      storageClassName: 'gone',
    })
    await world.advance(60_000)
    equal((await world.published()).length, 3)
  })
  test('left from an earlier life they are taken over, and deleted when nobody wants them', async (context) => {
    const labels = { 'csi.storage.k8s.io/drivername': DRIVER, 'csi.storage.k8s.io/managed-by': 'external-provisioner' }
    const left = (name: string, storageClassName: string) =>
      ({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIStorageCapacity',
        metadata: { namespace: NAMESPACE, name, labels },
        nodeTopology: { matchLabels: { zone: 'a' } },
        storageClassName,
        capacity: '1Gi',
      }) as const
    const world = await startCapacityWorld(context, {
      before: async ({ api }) => {
        await api.create(CSI_STORAGE_CAPACITIES, left('old', 'fast'))
        await api.create(CSI_STORAGE_CAPACITIES, left('obsolete', 'gone'))
      },
    })
    const names = (await world.api.list(CSI_STORAGE_CAPACITIES)).items.map(({ metadata }) => metadata.name)
    equal(names.includes('old'), true)
    equal(names.includes('obsolete'), false)
    deepEqual(
      new Set(world.writes.filter((line) => !line.endsWith(' %')).map((line) => line.split(' ')[0])),
      new Set(['create', 'delete']),
    )
    equal(world.writes.length, 3)
  })
})

describe('owners', () => {
  const REPLICA_SETS: ResourceType = {
    group: 'apps',
    version: 'v1',
    kind: 'ReplicaSet',
    plural: 'replicasets',
    namespaced: true,
  }
  const reference = (
    { apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject,
    controller = true,
  ): OwnerReference => ({ apiVersion, kind, name, uid, controller })
  const replicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: NAMESPACE, name: 'driver-1' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  const DEPLOYMENTS: ResourceType = { ...REPLICA_SETS, kind: 'Deployment', plural: 'deployments' }
  const makeChain = async (api: Api): Promise<Record<'pod' | 'set' | 'deployment', OwnerReference>> => {
    const deployment = await api.create(DEPLOYMENTS, {
      ...replicaSet,
      kind: 'Deployment',
      metadata: { namespace: NAMESPACE, name: 'driver' },
    })
    const set = await api.create(REPLICA_SETS, {
      ...replicaSet,
      metadata: { ...replicaSet.metadata, ownerReferences: [reference(deployment)] },
    })
    const pod = await api.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: NAMESPACE, name: 'driver-1-x', ownerReferences: [reference(set)] },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    })
    return { pod: reference(pod), set: reference(set), deployment: reference(deployment) }
  }
  for (const [level, who] of [
    [0, 'pod'],
    [1, 'set'],
    [2, 'deployment'],
  ] as const) {
    test(`level ${level} is the ${who}`, async (context) => {
      let chain: Awaited<ReturnType<typeof makeChain>> | undefined
      const pod = { namespace: NAMESPACE, name: 'driver-1-x' }
      const world = await startCapacityWorld(context, {
        config: { capacityOwnerrefLevel: level },
        parts: { pod },
        before: async ({ api }) => void (chain = await makeChain(api)),
      })
      for (const { metadata } of (await world.api.list(CSI_STORAGE_CAPACITIES)).items)
        deepEqual(metadata.ownerReferences, [chain?.[who]])
    })
  }
  test('beyond the top of the chain it says so, and without a pod too', async (context) => {
    const pod = { namespace: NAMESPACE, name: 'driver-1-x' }
    await rejects(
      startCapacityWorld(context, {
        config: { capacityOwnerrefLevel: 3 },
        parts: { pod },
        before: async ({ api }) => void (await makeChain(api)),
      }),
      /level=3 goes too far: Deployment\/default\/driver has no controller/,
    )
    await rejects(
      startCapacityWorld(context, { config: { capacityOwnerrefLevel: 1 } }),
      /level=1 needs to know its pod: set POD_NAME/,
    )
  })
})

describe('starting', () => {
  const refusing =
    (error: ApiError) =>
    ({ api }: { api: Api }): Api => ({
      ...api,
      create: (type, object, options) =>
        type.plural === 'csistoragecapacities' ? Promise.reject(error) : api.create(type, object, options),
    })
  test('a driver that does not know its room is named once, and nothing is published', async (context) => {
    const world = await startCapacityWorld(context, { handlers: {} })
    await world.advance(600_000)
    deepEqual(await world.published(), [])
    equal(world.lines.filter((line) => line.includes('lacks the capability GET_CAPACITY')).length, 1)
  })
  test('a server that does not serve the kind, or does not allow it, is told apart', async (context) => {
    await rejects(
      startCapacityWorld(context, {
        apiOf: refusing(new ApiError('NotFound', 'the server could not find the requested resource')),
      }),
      /no storage.k8s.io\/v1 csistoragecapacities/,
    )
    await rejects(
      startCapacityWorld(context, { apiOf: refusing(new ApiError('Forbidden', 'no')) }),
      /allow get, list, watch, create, update and delete of csistoragecapacities/,
    )
  })
  test('asking whether the kind is served makes nothing', async (context) => {
    const world = await startCapacityWorld(context)
    equal(world.writes[0], 'create csistoragecapacities %')
    equal((await world.published()).length, 2)
  })
  test('the queue and the objects are measured under the names of old', async (context) => {
    const registry = new Registry()
    const parts: CapacityWorldOptions['parts'] = { registry }
    const world = await startCapacityWorld(context, {
      parts,
      before: ({ clock }) =>
        Promise.resolve(void Object.assign(parts, { queues: createQueueMetrics(registry, clock) })),
    })
    const text = await registry.metrics()
    for (const line of [
      'csistoragecapacities_desired_goal 2',
      'csistoragecapacities_desired_current 2',
      'csistoragecapacities_obsolete 0',
    ])
      ok(text.includes(line), line)
    match(text, /^workqueue_adds_total\{name="csistoragecapacity"\} [1-9]/m)
    await world.tracker.stop()
    equal((await registry.metrics()).includes('csistoragecapacities'), false)
  })
})
