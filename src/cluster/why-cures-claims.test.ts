import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_STORAGE_CAPACITIES } from '../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'
import { CsiError } from '../csi/index.ts'
import { defineDriver } from '../csi/kit/index.ts'
import { classOf, createOn } from '../testing/objects.ts'
import type { SimulatedWorld } from './start-simulated-cluster.ts'
import { carryOut } from './testing/carry-out.ts'
import { createClaim, createPod, deletePod, DRIVER, getClaim, getPod, isGone } from './testing/describe-cluster.ts'
import { NAMESPACE, startClusterUnderTest } from './testing/describe-cluster.ts'
import { why } from './why.ts'

const DATA = { namespace: NAMESPACE, name: 'data' }
const WEB = { namespace: NAMESPACE, name: 'web' }
const isRunning =
  (api: Api, name = 'web') =>
  async (): Promise<boolean> =>
    (await getPod(api, name)).status?.phase === 'Running'
const createClass = (api: Api, name: string, more: Partial<StorageClass> = {}) =>
  createOn(api, STORAGE_CLASSES, classOf({ provisioner: DRIVER, ...more }, name))

const createLateClass = (api: Api) => createClass(api, 'late', { volumeBindingMode: 'WaitForFirstConsumer' })
const createDriverObject = (api: Api, spec: object) =>
  api.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: DRIVER },
    spec: { attachRequired: true, ...spec },
  })

/** A driver whose volumes are created by `createVolume`; nothing has to be mounted. */
const driverThat = (createVolume: (name: string) => Promise<void>) => ({
  drivers: ({ log }: SimulatedWorld) => {
    const handlers = {
      createVolume: async ({ name }: { name: string }) => {
        await createVolume(name)
        return { volume: { volumeId: name, capacityBytes: 1024n ** 2n } }
      },
      deleteVolume: async () => ({}),
      nodeGetInfo: async () => ({ nodeId: 'n1' }),
      nodePublishVolume: async () => ({}),
      nodeUnpublishVolume: async () => ({}),
    }
    return [{ server: defineDriver({ name: 'full.example.com', version: '1' }, { handlers, log }) }]
  },
})

describe('a claim that stays Pending', () => {
  test('is bound once the class that it names is created', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data', { storageClassName: 'nope' })
    await createPod(api, 'web', 'data')
    await advance(1000)
    const { sentence } = await why(api, 'pod/web')
    match(sentence, /storageclass\.storage\.k8s\.io "nope" not found\. Create it, or choose one of: standard\.$/)
    await createClass(api, 'nope')
    await until('the pod runs', isRunning(api))
  })

  test('is bound once its class names a driver that is installed', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    await createClass(api, 'fast', { provisioner: 'csi.exampel.com' })
    await createClaim(api, 'data', { storageClassName: 'fast' })
    await advance(1000)
    match(
      (await why(api, 'pvc/data')).sentence,
      /no CSIDriver and no CSINode names driver csi\.exampel\.com\. Install the driver, or correct the provisioner of StorageClass fast\.$/,
    )
    await api.delete(STORAGE_CLASSES, { name: 'fast' })
    await createClass(api, 'fast')
    await until('the claim is bound', async () => (await getClaim(api, 'data')).status?.phase === 'Bound')
  })

  test('is bound once the provisioner is running', async (context) => {
    const { api, until, advance, stopPart, startPart } = await startClusterUnderTest(context, {})
    await stopPart('sidecars')
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await advance(1000)
    match(
      (await why(api, 'pod/web')).sentence,
      /please verify that the provisioner is running and correctly registered\.$/,
    )
    await startPart('sidecars')
    await until('the pod runs', isRunning(api))
  })

  test('is bound once the driver has room', async (context) => {
    let hasRoom = false
    const { api, until, advance } = await startClusterUnderTest(
      context,
      driverThat(async () => {
        if (!hasRoom) throw new CsiError('RESOURCE_EXHAUSTED', 'the pool is full')
      }),
    )
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await advance(5000)
    match(
      (await why(api, 'pod/web')).sentence,
      /the pool is full\. Check the driver's logs\. The provisioner retries automatically\.$/,
    )
    hasRoom = true
    await until('the pod runs', isRunning(api), { limitMs: 600_000 })
  })

  test('is bound once a CSIStorageCapacity has room', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    await createDriverObject(api, { storageCapacity: true })
    await createLateClass(api)
    await createClaim(api, 'data', { storageClassName: 'late' })
    await createPod(api, 'web', 'data')
    await advance(1000)
    match((await why(api, 'pod/web')).sentence, /1 node\(s\) did not have enough free storage/)
    await api.create(CSI_STORAGE_CAPACITIES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { namespace: NAMESPACE, name: 'room' },
      storageClassName: 'late',
      capacity: '1Gi',
      nodeTopology: {},
    })
    await until('the pod runs', isRunning(api), { limitMs: 600_000 })
  })

  test('is bound once one of several obstacles is removed', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, { nodes: 2 })
    const taint = (name: string, taints: readonly object[]) =>
      api.patch(NODES, { name }, { type: 'merge', value: { spec: { taints } } })
    await taint('node-1', [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }])
    await taint('node-2', [{ key: 'old', effect: 'NoSchedule' }])
    await createLateClass(api)
    await createClaim(api, 'data', { storageClassName: 'late' })
    await createPod(api, 'web', 'data')
    await advance(1000)
    match((await why(api, 'pvc/data')).sentence, /Remove what keeps the pod off one of the nodes\.$/)
    await taint('node-2', [])
    await until('the pod runs', isRunning(api), { limitMs: 600_000 })
    equal((await getPod(api, 'web')).spec.nodeName, 'node-2')
  })
})

test('a call that hangs is named with its first attempt, and the volume is there once the driver has finished it', async (context) => {
  const first = Promise.withResolvers<undefined>()
  let calls = 0
  const { api, until, advance, clock } = await startClusterUnderTest(
    context,
    driverThat(async () => {
      if (++calls === 1) await first.promise
    }),
  )
  const startMs = clock.nowMs()
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  // The first call ends with its deadline, the next one with ABORTED: the driver is still executing the first.
  await advance(60_000)
  const { sentence } = await why(api, 'pvc/data')
  match(sentence, /Aborted.* \(the first call was made at 2\d{3}-.*Z\)\. The driver is still executing an earlier call/)
  match(
    sentence,
    /check in its logs whether that call hangs, and restart it if so\. The provisioner retries automatically\.$/,
  )
  const [, time = ''] = /first call was made at (\S+Z)\)/.exec(sentence) ?? []
  ok(Math.abs(Date.parse(time) - startMs) < 5000, time)
  first.resolve(undefined)
  await until('the pod runs', isRunning(api), { limitMs: 600_000 })
})

test('a pod runs once its driver is registered on the node', async (context) => {
  const { api, until, advance, stopPart, startPart } = await startClusterUnderTest(context, {})
  await createDriverObject(api, {})
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', isRunning(api))
  await deletePod(api, 'web')
  await until('the pod is gone', () => isGone(api.get(PODS, WEB)))
  await stopPart('registrar')
  await advance(60_000)
  await createPod(api, 'web', 'data', { nodeName: 'node-1' })
  await advance(5000)
  match(
    (await why(api, 'pod/web')).sentence,
    /driver name \S+ not found in the list of registered CSI drivers\. Check that the driver is running on node node-1 and that its registrar reports no error\. On the node, holdfast doctor \S+ says what is wrong\.$/,
  )
  await startPart('registrar')
  await until('the pod runs', isRunning(api), { limitMs: 600_000 })
})

test('a size that the driver refuses is replaced by a smaller one', async (context) => {
  const { api, until } = await startClusterUnderTest(context, {})
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', isRunning(api))
  const request = (storage: string) =>
    api.patch(PERSISTENT_VOLUME_CLAIMS, DATA, {
      type: 'merge',
      value: { spec: { resources: { requests: { storage } } } },
    })
  await request('1Ei')
  const isRefused = async () => (await why(api, 'pvc/data')).sentence.includes('Request a smaller size')
  await until('the driver refuses', isRefused)
  await request('2Mi')
  const capacity = async () => (await getClaim(api, 'data')).status?.capacity?.['storage']
  await until('the claim has the smaller size', async () => (await capacity()) === '2Mi', { limitMs: 900_000 })
})

describe('what was left behind', () => {
  test('a claim is deleted once the finalizer of the pod that uses it is removed', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod runs', isRunning(api))
    const keep = (finalizers: readonly string[]) =>
      api.patch(PODS, WEB, { type: 'merge', value: { metadata: { finalizers } } })
    await keep(['backup.example.com/keep'])
    await deletePod(api, 'web')
    await api.delete(PERSISTENT_VOLUME_CLAIMS, DATA)
    await advance(60_000)
    match((await why(api, 'pvc/data')).sentence, /finalizers remain: backup\.example\.com\/keep\. Check the controller/)
    await keep([])
    await until('the claim is gone', () => isGone(getClaim(api, 'data')), { limitMs: 600_000 })
  })

  test('a pod ends once the agent of its node is running again', async (context) => {
    const { api, until, advance, mounted, stopPart, startPart } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod runs', isRunning(api))
    await stopPart('node-1')
    await advance(60_000)
    await deletePod(api, 'web')
    await advance(1000)
    match(
      (await why(api, 'pod/web')).sentence,
      /^Pod web is being deleted and is waiting for node node-1: .* Bring the node back, or, once/,
    )
    await startPart('node-1')
    await until('the pod is gone', () => isGone(getPod(api, 'web')), { limitMs: 600_000 })
    equal((await mounted()).length, 0)
  })

  test('a volume moves to another node once the lost one is out of service', async (context) => {
    const { api, until, advance, clock, stopPart } = await startClusterUnderTest(context, { nodes: 2 })
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod runs', isRunning(api))
    const { nodeName = '' } = (await getPod(api, 'web')).spec
    await stopPart(nodeName)
    await advance(90_000)
    await createPod(api, 'next', 'data', { nodeName: nodeName === 'node-1' ? 'node-2' : 'node-1' })
    await advance(5000)
    const { sentence } = await why(api, 'pod/next')
    match(sentence, /Multi-Attach error for volume .* once you have confirmed that the machine is powered off, run: /)
    const startMs = clock.nowMs()
    equal(
      await carryOut(api, sentence),
      `kubectl taint nodes ${nodeName} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
    )
    await until('the pod runs on the other node', isRunning(api, 'next'), { limitMs: 360_000 })
    ok(clock.nowMs() - startMs < 60_000, 'not only after the six minutes of a forced detach')
  })
})
