import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { EVENTS } from '../../api/kinds/event.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { volumeOfClaim } from '../../testing/objects.ts'
import { bindVolume, createPod, deletePod, openVolumes, ROOT } from '../volumes/testing/describe-volumes.ts'
import type { VolumesUnderTest } from '../volumes/testing/describe-volumes.ts'
import { DRIVER } from '../volumes/testing/ledger-driver.ts'
import { registerVolumeMetrics, summarizeStats } from './index.ts'

const PERIOD_MS = 60_000
const countOf = (node: VolumesUnderTest, call: string): number =>
  node.ledger.calls.filter((each) => each === call).length
const abnormal = async (node: VolumesUnderTest) =>
  (await node.events()).filter((event) => event.startsWith('VolumeCondition'))
const metricsOf = async (node: VolumesUnderTest): Promise<string[]> => {
  const registry = new Registry()
  registerVolumeMetrics(registry, () => node.manager().stats())
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('stats: a mounted volume is measured soon, then every one to two minutes, and no more once it is unmounted', async (context) => {
  const node = await openVolumes(context, { features: { stats: true } })
  await bindVolume(node.api, 'a')
  const pod = await createPod(node.api, 'a')
  await node.settled()
  equal(countOf(node, 'stats h-a'), 0)
  const writes = node.writes.length
  await node.advance(10_000)
  equal(countOf(node, 'stats h-a'), 1)
  for (let minutes = 0; minutes < 60; minutes++) await node.advance(PERIOD_MS)
  const calls = countOf(node, 'stats h-a')
  ok(calls >= 30 && calls <= 61, `${calls} calls in an hour`)
  // Nothing of it is written to the API.
  equal(node.writes.length, writes)
  const [stats] = node.manager().stats()
  deepEqual(stats?.usage, {
    capacityBytes: 1000n,
    availableBytes: 600n,
    usedBytes: 400n,
    inodes: 100n,
    inodesFree: 90n,
    inodesUsed: 10n,
  })
  deepEqual([stats?.claimName, stats?.volumeName, stats?.pod.uid], ['a', 'data', pod.metadata.uid])
  await deletePod(node.api, 'a')
  await node.settled()
  deepEqual(node.manager().stats(), [])
  await node.advance(10 * PERIOD_MS)
  equal(countOf(node, 'stats h-a'), calls)
})

test('stats: a driver without the capability is never asked', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.advance(10 * PERIOD_MS)
  equal(countOf(node, 'stats h-a'), 0)
  deepEqual(await metricsOf(node), [])
})

test('stats: metrics have the names and labels of the kubelet, once for each claim, and none for volumes of the pod', async (context) => {
  const node = await openVolumes(context, {
    features: { stats: true, condition: true },
    csiDriver: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
  })
  await bindVolume(node.api, 'a')
  for (const name of ['one', 'two']) await createPod(node.api, name, { volumes: [volumeOfClaim('a', 'data')] })
  await createPod(node.api, 'three', { volumes: [{ name: 'scratch', csi: { driver: DRIVER } }] })
  await node.settled()
  await node.advance(10_000)
  const labels = '{namespace="default",persistentvolumeclaim="a"}'
  deepEqual(await metricsOf(node), [
    `kubelet_volume_stats_capacity_bytes${labels} 1000`,
    `kubelet_volume_stats_available_bytes${labels} 600`,
    `kubelet_volume_stats_used_bytes${labels} 400`,
    `kubelet_volume_stats_inodes${labels} 100`,
    `kubelet_volume_stats_inodes_free${labels} 90`,
    `kubelet_volume_stats_inodes_used${labels} 10`,
    `kubelet_volume_stats_health_status_abnormal${labels} 0`,
  ])
  const { node: about, pods } = summarizeStats('node-1', node.manager().stats())
  deepEqual(about, { nodeName: 'node-1' })
  deepEqual(pods.map(({ podRef }) => podRef.name).sort(), ['one', 'three', 'two'])
  const { time, ...volume } = pods.find(({ podRef }) => podRef.name === 'one')?.volume[0] ?? {}
  match(time ?? '', /^20\d\d-.*Z$/)
  deepEqual(volume, {
    name: 'data',
    pvcRef: { name: 'a', namespace: 'default' },
    capacityBytes: 1000,
    availableBytes: 600,
    usedBytes: 400,
    inodes: 100,
    inodesFree: 90,
    inodesUsed: 10,
    volumeHealthStats: { abnormal: false },
  })
  equal(pods.find(({ podRef }) => podRef.name === 'three')?.volume[0]?.pvcRef, undefined)
})

for (const [what, features] of [
  ['the condition of CSI 1.12', { stats: true, condition: true }],
  ['the health of CSI 1.13', { health: true }],
] as const)
  test(`stats: an abnormal volume is told on its pod, once for each problem (${what})`, async (context) => {
    const node = await openVolumes(context, { features })
    const said = (text: string) =>
      `VolumeConditionAbnormal: Volume data: ${'health' in features ? `DiskWorn: ${text}` : text}`
    await bindVolume(node.api, 'a')
    await createPod(node.api, 'a')
    await node.settled()
    await node.advance(10_000)
    deepEqual(await abnormal(node), [])
    const health = () => node.manager().stats()[0]?.problem
    equal(health(), '')
    node.ledger.problems.set('h-a', 'slow')
    for (let minutes = 0; minutes < 10; minutes++) await node.advance(PERIOD_MS)
    deepEqual(await abnormal(node), [said('slow')])
    ok(health()?.includes('slow'))
    if (!('health' in features))
      ok(
        (await metricsOf(node)).includes(
          'kubelet_volume_stats_health_status_abnormal{namespace="default",persistentvolumeclaim="a"} 1',
        ),
      )
    node.ledger.problems.set('h-a', 'lost')
    await node.advance(3 * PERIOD_MS)
    deepEqual(await abnormal(node), [said('slow'), said('lost')])
    // As upstream, recovery is not told; but a second time is news.
    node.ledger.problems.clear()
    await node.advance(3 * PERIOD_MS)
    equal(health(), '')
    equal((await abnormal(node)).length, 2)
    const counts = async () =>
      (await node.api.list(EVENTS)).items
        .filter(({ reason }) => reason === 'VolumeConditionAbnormal')
        .map(({ count }) => `${count}`)
    node.ledger.problems.set('h-a', 'slow')
    await node.advance(3 * PERIOD_MS)
    deepEqual((await counts()).sort(), ['1', '2'])
  })

test('stats: the health call has the paths of the volume', async (context) => {
  const node = await openVolumes(context, { features: { health: true } })
  const asked: object[] = []
  node.ledger.before = (call, request) => void (call.startsWith('health') && asked.push(request))
  await bindVolume(node.api, 'a')
  const pod = await createPod(node.api, 'a')
  await node.settled()
  await node.advance(10_000)
  deepEqual(asked, [
    {
      volumeId: 'h-a',
      volumePublishPath: `${ROOT}/pods/${pod.metadata.uid}/volumes/kubernetes.io~csi/a/mount`,
      stagingTargetPath: node.ledger.staged.get('h-a'),
    },
  ])
})

test('stats: after a failed call no number is shown, the log says why once, and the pod stays as it is', async (context) => {
  const node = await openVolumes(context, { features: { stats: true } })
  await bindVolume(node.api, 'a')
  await createPod(node.api, 'a')
  await node.settled()
  await node.advance(10_000)
  equal((await metricsOf(node)).length, 6)
  node.ledger.before = (call) => {
    if (call.startsWith('stats')) throw new CsiError('INTERNAL', 'no answer today')
  }
  await node.advance(10 * PERIOD_MS)
  ok(countOf(node, 'stats h-a') > 4)
  deepEqual(await metricsOf(node), [])
  equal(node.logged.filter((line) => line.includes('volume stats not read')).length, 1)
  equal((await node.pod('a'))?.status?.phase, 'Running')
  deepEqual(await node.events(), [])
  node.ledger.before = () => {}
  await node.advance(3 * PERIOD_MS)
  equal((await metricsOf(node)).length, 6)
})

test('stats: a driver that hangs delays neither a mount nor an unmount', async (context) => {
  const node = await openVolumes(context, { features: { stats: true } })
  node.ledger.before = (call) => (call.startsWith('stats') ? new Promise<void>(() => {}) : undefined)
  for (const name of ['a', 'b']) await bindVolume(node.api, name)
  await createPod(node.api, 'a')
  await node.settled()
  await node.clock.advance(10_000)
  await createPod(node.api, 'b')
  await deletePod(node.api, 'a')
  for (let turns = 0; turns < 200; turns++) await node.clock.advance(0)
  equal((await node.pod('b'))?.status?.phase, 'Running')
  equal(await node.pod('a'), undefined)
  deepEqual(node.manager().stats(), [])
})
