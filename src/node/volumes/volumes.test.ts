import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import {
  attach,
  bindVolume,
  createPod,
  deletePod,
  nameInUse,
  NODE,
  openVolumes,
  ROOT,
} from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

test('S3-2, S3-108, S3-164, S3-166: a pod gets its volume staged and published at a path of its own, and gives it back when it goes', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger } = node
  await bindVolume(api, 'a')
  const { metadata } = await createPod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a'])
  const target = `${ROOT}/pods/${metadata.uid}/volumes/kubernetes.io~csi/a/mount`
  deepEqual([...ledger.published], [[target, 'h-a']])
  const pod = await node.pod('a')
  equal(pod?.status?.phase, 'Running')
  deepEqual(
    pod.status.conditions
      ?.filter(({ status }) => status === 'True')
      .map(({ type }) => type)
      .sort(),
    ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'],
  )
  ok(pod.status.containerStatuses?.[0]?.state?.running)

  await deletePod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a', 'unpublish h-a', 'unstage h-a'])
  equal(await node.pod('a'), undefined)
  deepEqual(
    node.tree().filter((path) => /[0-9a-f]{64}|pods\//.test(path)),
    [],
  )
  match(String(node.tree()), /plugins/)
  deepEqual(node.writes, ['patch pods/status a', 'delete pods a'])
})

test('a pod whose volumes cannot be mounted shows ContainerCreating, as with a kubelet, in one write', async (context) => {
  const node = await openVolumes(context, { csiDriver: { attachRequired: true } })
  const { api } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await createPod(api, 'b', {
    spec: {
      initContainers: [
        { name: 'setup', image: 'none' },
        { name: 'proxy', image: 'none', restartPolicy: 'Always' },
      ],
    },
  })
  await node.settled()
  const shown = async (name: string) => {
    const { status } = (await node.pod(name)) ?? {}
    return {
      phase: status?.phase,
      containers: status?.containerStatuses?.map(({ state }) => state?.waiting?.reason ?? Object.keys(state ?? {})[0]),
      init: status?.initContainerStatuses?.map(({ state }) => state?.waiting?.reason ?? Object.keys(state ?? {})[0]),
      conditions: status?.conditions?.map((condition) =>
        [condition.type, condition.status, condition.reason, condition.message].filter(Boolean).join(' ').trim(),
      ),
    }
  }
  deepEqual((await shown('a')).containers, undefined)
  await node.advance(1000)
  deepEqual(await shown('a'), {
    phase: 'Pending',
    containers: ['ContainerCreating'],
    init: undefined,
    conditions: [
      'PodReadyToStartContainers False',
      'Initialized True',
      'Ready False ContainersNotReady containers with unready status: [main]',
      'ContainersReady False ContainersNotReady containers with unready status: [main]',
      'PodScheduled True',
    ],
  })
  deepEqual(await shown('b'), {
    phase: 'Pending',
    containers: ['PodInitializing'],
    init: ['PodInitializing', 'PodInitializing'],
    conditions: [
      'PodReadyToStartContainers False',
      'Initialized False ContainersNotInitialized containers with incomplete status: [setup proxy]',
      'Ready False ContainersNotReady containers with unready status: [proxy main]',
      'ContainersReady False ContainersNotReady containers with unready status: [proxy main]',
      'PodScheduled True',
    ],
  })
  equal((await node.pod('a'))?.status?.conditions?.[0]?.observedGeneration, 1)
  await node.advance(3_600_000)
  const statusWrites = () => node.writes.filter((write) => write.startsWith('patch pods/status'))
  deepEqual(statusWrites().sort(), ['patch pods/status a', 'patch pods/status b'])
  const { startTime } = (await node.pod('a'))?.status ?? {}
  await attach(api, 'a')
  await node.settled()
  deepEqual(await shown('a'), {
    phase: 'Running',
    containers: ['running'],
    init: undefined,
    conditions: [
      'PodReadyToStartContainers True',
      'Initialized True',
      'Ready True',
      'ContainersReady True',
      'PodScheduled True',
    ],
  })
  equal((await node.pod('a'))?.status?.startTime, startTime)
  deepEqual(statusWrites().length, 3)
})

test('S1-12, S3-162: a volume that is attached is first reported as used, then waited for, and only then staged', async (context) => {
  const node = await openVolumes(context, { csiDriver: { attachRequired: true } })
  const { api, ledger } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  deepEqual(await node.inUse(), [nameInUse('a')])
  deepEqual(ledger.calls, [])
  await attach(api, 'a', { metadata: { device: '/dev/7' } })
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a'])
  deepEqual(ledger.stageRequests[0]?.publishContext, { device: '/dev/7' })
  deepEqual(ledger.publishRequests[0]?.publishContext, { device: '/dev/7' })
  deepEqual(
    node.reads.filter((read) => read.startsWith('get')),
    [
      `get persistentvolumeclaims a`,
      'get persistentvolumes a',
      `get volumeattachments ${attachmentName({ driver: DRIVER, volumeHandle: 'h-a', nodeName: NODE })}`,
    ],
  )

  // Until it is unstaged nobody may detach it.
  let usedDuringUnstage: readonly string[] = []
  ledger.before = async (call) => {
    if (call === 'unstage h-a') usedDuringUnstage = await node.inUse()
  }
  await deletePod(api, 'a')
  await node.settled()
  deepEqual(usedDuringUnstage, [nameInUse('a')])
  deepEqual(await node.inUse(), [])
  deepEqual(node.writes, [
    'patch nodes/status node-1',
    'patch pods/status a',
    'delete pods a',
    'patch nodes/status node-1',
  ])
})

test('S1-12, S3-162: a pod that goes before its volume is attached leaves nothing behind that would keep the volume from being detached', async (context) => {
  const node = await openVolumes(context, { csiDriver: { attachRequired: true } })
  const { api, ledger } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  deepEqual(await node.inUse(), [nameInUse('a')])
  await deletePod(api, 'a')
  await node.settled()
  equal(await node.pod('a'), undefined)
  deepEqual([await node.inUse(), ledger.calls], [[], []])
})

test('S1-1: a driver without an object has its volumes attached', async (context) => {
  const node = await openVolumes(context, { csiDriver: undefined })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, [])
  await attach(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a'])
})

test('an attachment that says it is not attached is looked at again, and the pod is told', async (context) => {
  const node = await openVolumes(context, { csiDriver: {} })
  const { api, ledger } = node
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await attach(api, 'a', { attached: false })
  await node.settled()
  deepEqual(ledger.calls, [])
  match(String(await node.events()), /FailedMount: MountVolume.WaitForAttach failed/)
  const name = attachmentName({ driver: DRIVER, volumeHandle: 'h-a', nodeName: NODE })
  await api.patch(
    VOLUME_ATTACHMENTS,
    { name },
    { type: 'merge', value: { status: { attached: true } } },
    { subresource: 'status' },
  )
  await node.advance(499)
  deepEqual(ledger.calls, [])
  await node.advance(2)
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a'])
})

test('S0-37: two pods share one staging, and the last one ends it', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger } = node
  await bindVolume(api, 'a', { spec: { accessModes: ['ReadWriteMany'] } })
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }]
  await createPod(api, 'one', { volumes })
  await createPod(api, 'two', { volumes })
  await node.settled()
  deepEqual(ledger.calls, ['stage h-a', 'publish h-a', 'publish h-a'])
  equal(ledger.published.size, 2)
  await deletePod(api, 'one')
  await node.settled()
  equal(ledger.staged.size, 1)
  await deletePod(api, 'two')
  await node.settled()
  deepEqual(ledger.calls.slice(3), ['unpublish h-a', 'unpublish h-a', 'unstage h-a'])
})

test('S0-36, H26: a driver that stages nothing gets no staging path, no directory for it, and no call to undo it', async (context) => {
  const node = await openVolumes(context, { features: { stage: false } })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, ['publish h-a'])
  equal(node.ledger.publishRequests[0]?.stagingTargetPath, '')
  deepEqual(
    node.tree().filter((path) => path.includes('globalmount')),
    [],
  )
  await deletePod(node.api, 'a')
  await node.settled()
  deepEqual(node.ledger.calls, ['publish h-a', 'unpublish h-a'])
  deepEqual(node.manager().devices(), [])
})

test('a pod that finished gives its volumes back though it is still there', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  await node.api.patch(
    PODS,
    { namespace: 'default', name: 'a' },
    { type: 'merge', value: { status: { phase: 'Succeeded' } } },
    { subresource: 'status' },
  )
  await node.settled()
  deepEqual(node.ledger.calls.slice(2), ['unpublish h-a', 'unstage h-a'])
  equal((await node.pod('a'))?.status?.phase, 'Succeeded')
})

test('a volume that no container uses is not mounted', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a', { spec: { containers: [{ name: 'app', image: 'app:1' }] } })
  await node.settled()
  deepEqual(node.ledger.calls, [])
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

test('S3-166: what fails is tried again with growing patience, and told; a driver that comes back need not wait', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger } = node
  let failing = true
  ledger.before = (call) => {
    if (failing && call.startsWith('publish')) throw new CsiError('INTERNAL', 'disk on fire')
  }
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  for (const [waitMs, tries] of [
    [499, 1],
    [1, 2],
    [999, 2],
    [1, 3],
    [2000, 4],
  ] as const) {
    await node.advance(waitMs)
    equal(ledger.calls.filter((call) => call === 'publish h-a').length, tries)
  }
  match(
    String(await node.events()),
    /FailedMount: MountVolume.SetUp failed for volume "a" : NodePublishVolume: Internal: disk on fire/,
  )
  equal((await node.pod('a'))?.status?.phase, 'Pending')
  failing = false
  node.store.register(DRIVER, ledger.driver(node.clock))
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

for (const [rpc, call] of [
  ['NodeStageVolume', 'stage'],
  ['NodePublishVolume', 'publish'],
] as const) {
  test(`${rpc} that the driver does not implement is tried again with growing patience, though its capabilities are asked for each time`, async (context) => {
    const node = await openVolumes(context)
    const { api, ledger } = node
    ledger.before = (each) => {
      if (each.startsWith(call)) throw new CsiError('UNIMPLEMENTED', 'unknown method')
    }
    await bindVolume(api, 'a')
    await createPod(api, 'a')
    await node.settled()
    for (const [waitMs, tries] of [
      [499, 1],
      [1, 2],
      [999, 2],
      [1, 3],
      [2000, 4],
      [3999, 4],
      [1, 5],
    ] as const) {
      await node.advance(waitMs)
      equal(ledger.calls.filter((each) => each === `${call} h-a`).length, tries)
    }
    ledger.before = () => {}
    await node.advance(8000)
    equal((await node.pod('a'))?.status?.phase, 'Running')
  })
}

test('without its driver nothing is called and nothing is lost', async (context) => {
  const node = await openVolumes(context)
  const { api, ledger, store } = node
  store.unregister(DRIVER)
  await bindVolume(api, 'a')
  await createPod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, [])
  store.register(DRIVER, ledger.driver(node.clock))
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
  store.unregister(DRIVER)
  await deletePod(api, 'a')
  await node.advance(600_000)
  equal((await node.pod('a'))?.status?.phase, 'Running')
  equal(ledger.published.size, 1)
  store.register(DRIVER, ledger.driver(node.clock))
  await node.settled()
  equal(await node.pod('a'), undefined)
  equal(ledger.staged.size, 0)
})

test('H45, H47: what is mounted comes off with pod, volume, claim and secret gone and the server silent', async (context) => {
  let isDown = false
  const apiOf = (api: Api): Api => ({
    ...api,
    get: (...args) => (isDown ? Promise.reject(new ApiError('ServiceUnavailable', 'down')) : api.get(...args)),
    patch: (...args) => (isDown ? Promise.reject(new ApiError('ServiceUnavailable', 'down')) : api.patch(...args)),
    delete: (...args) => (isDown ? Promise.reject(new ApiError('ServiceUnavailable', 'down')) : api.delete(...args)),
  })
  const node = await openVolumes(context, { apiOf })
  const { api, ledger } = node
  await api.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'pass' },
    stringData: { key: 'open sesame' },
  })
  await bindVolume(api, 'a', {
    source: {
      nodeStageSecretRef: { namespace: 'default', name: 'pass' },
      nodePublishSecretRef: { namespace: 'default', name: 'pass' },
    },
  })
  await createPod(api, 'a')
  await node.settled()
  equal(ledger.published.size, 1)
  isDown = true
  await api.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
  await api.delete(SECRETS, { namespace: 'default', name: 'pass' })
  await node.settled()
  deepEqual(ledger.calls.slice(2), ['unpublish h-a', 'unstage h-a'])
  equal(
    node.tree().some((path) => path.includes('vol_data.json')),
    false,
  )
})
