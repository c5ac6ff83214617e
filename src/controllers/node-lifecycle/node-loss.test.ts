import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { hasCondition } from '../../api/conditions.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodSpec } from '../../api/kinds/pod.ts'
import { formatMicroTimestamp, formatTimestamp } from '../../api/timestamps.ts'
import { defaultsOf } from '../../base/options/index.ts'
import { podGcOptions, startPodGc } from '../pod-gc/index.ts'
import { startTaintEviction } from '../taint-eviction/index.ts'
import { startControllersUnderTest } from '../testing/describe-controller.ts'
import { nodeLifecycleOptions, startNodeLifecycle } from './index.ts'

// The three controllers together: how a cluster loses a node.

const LEASE_NAMESPACE = 'kube-node-lease'
const podRef = (name: string) => ({ namespace: 'default', name })

async function open(context: TestContext, nodeNames: readonly string[] = ['n1', 'n2']) {
  const controllers = await startControllersUnderTest(context, [
    (world, signal) => startNodeLifecycle(defaultsOf(nodeLifecycleOptions), world, signal),
    (world, signal) => startTaintEviction({}, world, signal),
    (world, signal) => startPodGc(defaultsOf(podGcOptions), world, signal),
  ])
  const { api, clock, advance, settled } = controllers
  const silent = new Set<string>()
  const report = async (name: string): Promise<void> => {
    const time = formatTimestamp(clock.nowMs())
    const conditions = [
      { type: 'Ready', status: 'True', lastHeartbeatTime: time, lastTransitionTime: formatTimestamp(0) },
    ]
    await api.patch(NODES, { name }, { type: 'merge', value: { status: { conditions } } }, { subresource: 'status' })
  }
  for (const name of nodeNames) {
    await api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
    await api.create(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: LEASE_NAMESPACE, name },
      spec: {},
    })
    await report(name)
  }
  await settled()
  /** Time passes; nodes that are not silent renew their leases. */
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 10) {
      for (const name of nodeNames) if (!silent.has(name)) await renew(api, name, clock.nowMs())
      await advance(Math.min(10, left) * 1000)
    }
  }
  return { ...controllers, silent, report, pass }
}

const renew = (api: Api, name: string, nowMs: number): Promise<unknown> =>
  api.patch(
    LEASES,
    { namespace: LEASE_NAMESPACE, name },
    {
      type: 'merge',
      value: { spec: { renewTime: formatMicroTimestamp(nowMs) } },
    },
  )

async function startPod(api: Api, name: string, node: string, spec: Partial<PodSpec> = {}): Promise<void> {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: podRef(name),
    spec: { containers: [{ name: 'main', image: 'one' }], nodeName: node, ...spec },
  }
  await api.create(PODS, pod)
  const value = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', reason: 'Kept' }] } }
  await api.patch(PODS, podRef(name), { type: 'merge', value }, { subresource: 'status' })
}

const taintsOf = async (api: Api, name: string): Promise<string[]> =>
  ((await api.get(NODES, { name })).spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)

test('a node that falls silent is marked, tainted, and loses its pods after five minutes', async (context) => {
  const { api, pass, silent, events, writes } = await open(context)
  await startPod(api, 'web', 'n1')
  await startPod(api, 'other', 'n2')
  await pass(600)
  deepEqual(
    writes.filter((write) => !write.startsWith('create')),
    [],
  )
  silent.add('n1')
  // The last renewal was 10 s ago.
  await pass(40)
  deepEqual(await taintsOf(api, 'n1'), [])
  await pass(1)
  deepEqual(await taintsOf(api, 'n1'), ['unreachable:NoSchedule', 'unreachable:NoExecute'])
  const { status } = await api.get(NODES, { name: 'n1' })
  deepEqual(
    status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
    [
      ['Ready', 'Unknown', 'NodeStatusUnknown'],
      ['MemoryPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['DiskPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['PIDPressure', 'Unknown', 'NodeStatusNeverUpdated'],
    ],
  )
  const [ready] = (await api.get(PODS, podRef('web'))).status?.conditions ?? []
  deepEqual([ready?.status, ready?.reason], ['False', 'Kept'])
  await pass(299)
  equal((await api.get(PODS, podRef('web'))).metadata.deletionTimestamp, undefined)
  await pass(1)
  const web = await api.get(PODS, podRef('web'))
  equal(web.metadata.deletionTimestamp !== undefined, true)
  equal(hasCondition(web.status?.conditions, 'DisruptionTarget'), true)
  equal((await api.get(PODS, podRef('other'))).metadata.deletionTimestamp, undefined)
  deepEqual(await events(), [
    'Normal NodeNotReady Node/n1',
    'Normal RegisteredNode Node/n1',
    'Normal RegisteredNode Node/n2',
    'Normal TaintManagerEviction Pod/web',
    'Warning NodeNotReady Pod/web',
  ])
})

test('a node that reports again in time keeps its pods', async (context) => {
  const { api, pass, silent, report, events } = await open(context)
  await startPod(api, 'web', 'n1')
  silent.add('n1')
  await pass(120)
  equal((await taintsOf(api, 'n1')).length, 2)
  silent.delete('n1')
  await report('n1')
  await pass(600)
  deepEqual(await taintsOf(api, 'n1'), [])
  equal((await api.get(PODS, podRef('web'))).metadata.deletionTimestamp, undefined)
  equal((await events()).includes('Normal TaintManagerEviction Pod/web'), true)
})

test('no pod is evicted if every node is silent', async (context) => {
  const { api, pass, silent } = await open(context)
  await startPod(api, 'web', 'n1')
  silent.add('n1').add('n2')
  await pass(900)
  deepEqual(await taintsOf(api, 'n1'), ['unreachable:NoSchedule'])
  deepEqual(await taintsOf(api, 'n2'), ['unreachable:NoSchedule'])
  equal((await api.get(PODS, podRef('web'))).metadata.deletionTimestamp, undefined)
})

test('nodes of one zone are tainted one after the other', async (context) => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5']
  const { api, pass, silent } = await open(context, names)
  silent.add('n1').add('n2')
  await pass(60)
  const evicting = async (): Promise<number> => {
    const all = await Promise.all(names.map((name) => taintsOf(api, name)))
    return all.filter((taints) => taints.includes('unreachable:NoExecute')).length
  }
  equal(await evicting(), 1)
  await pass(10)
  equal(await evicting(), 2)
})

test('pods leave a node that is out of service at once, without waiting for the node', async (context) => {
  const { api, pass, silent } = await open(context)
  await startPod(api, 'web', 'n1')
  silent.add('n1')
  await pass(60)
  const taints = [...((await api.get(NODES, { name: 'n1' })).spec?.taints ?? [])]
  const value = { spec: { taints: [...taints, { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } }
  await api.patch(NODES, { name: 'n1' }, { type: 'merge', value })
  await pass(30)
  equal((await api.list(PODS)).items.length, 0)
})

test('pods of a node that was deleted are deleted after 40 seconds', async (context) => {
  const { api, pass, events } = await open(context)
  await startPod(api, 'web', 'n1')
  await pass(30)
  await api.delete(NODES, { name: 'n1' })
  await pass(40)
  equal((await api.list(PODS)).items.length, 1)
  await pass(40)
  equal((await api.list(PODS)).items.length, 0)
  equal((await events()).includes('Normal RemovingNode Node/n1'), true)
})

test('a cordoned node gets the taint that says so, and loses it', async (context) => {
  const { api, pass } = await open(context)
  const cordon = (unschedulable: boolean): Promise<unknown> =>
    api.patch(NODES, { name: 'n1' }, { type: 'merge', value: { spec: { unschedulable } } })
  await cordon(true)
  await pass(1)
  deepEqual(await taintsOf(api, 'n1'), ['unschedulable:NoSchedule'])
  await cordon(false)
  await pass(1)
  deepEqual(await taintsOf(api, 'n1'), [])
})
