import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { DAEMON_SETS } from '../../../api/kinds/daemon-set.ts'
import type { DaemonSet, DaemonSetSpec } from '../../../api/kinds/daemon-set.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { createOn, nodeOf } from '../../../testing/objects.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import type { ControllerUnderTest } from '../../testing/describe-controller.ts'
import { makeReady, removePod } from '../testing/play-kubelet.ts'
import { nodeOfDaemon } from './daemon-pod.ts'
import { daemonSetOptions, startDaemonSet } from './start-daemon-set.ts'

const start = (context: TestContext) =>
  startControllersUnderTest(context, [(world, signal) => startDaemonSet(defaultsOf(daemonSetOptions), world, signal)], {
    before: async ({ api }) => {
      for (const name of ['n1', 'n2', 'n3'])
        await createOn(api, NODES, nodeOf(name, { metadata: { labels: { disk: name } } }))
    },
  })
const ref = { namespace: 'default', name: 'agent' }
const labels = { app: 'agent' }
const agent = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: ref,
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    ...spec,
  },
})
const nodesOf = async (api: Api): Promise<string[]> => (await api.list(PODS)).items.map(nodeOfDaemon).toSorted()
async function runAll(
  { api, settled }: ControllerUnderTest,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    await settled()
    await look()
    const { items } = await api.list(PODS)
    const [next] = items.filter(({ metadata, status }) => status?.phase !== 'Running' || metadata.deletionTimestamp)
    if (!next) return
    await (next.metadata.deletionTimestamp
      ? removePod(api, next.metadata.name ?? '')
      : makeReady(api, next.metadata.name ?? '', { node: nodeOfDaemon(next) }))
  }
  throw new Error('the DaemonSet does not settle')
}

test('every node gets one pod, also a node that comes later', async (context) => {
  const under = await start(context)
  const { api, writes, advance } = under
  await api.create(DAEMON_SETS, agent())
  await runAll(under)
  deepEqual(await nodesOf(api), ['n1', 'n2', 'n3'])
  await createOn(api, NODES, nodeOf('n4'))
  await runAll(under)
  deepEqual(await nodesOf(api), ['n1', 'n2', 'n3', 'n4'])
  const { status } = await api.get(DAEMON_SETS, ref)
  deepEqual([status?.desiredNumberScheduled, status?.numberReady, status?.updatedNumberScheduled], [4, 4, 4])
  const before = writes.length
  await advance(600_000)
  equal(writes.length, before)
})

test('selectors and taints decide which nodes get a pod', async (context) => {
  const under = await start(context)
  const { api } = under
  const { template } = agent().spec
  await api.create(
    DAEMON_SETS,
    agent({ template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'n2' } } } }),
  )
  await runAll(under)
  deepEqual(await nodesOf(api), ['n2'])
  const taints = [{ key: 'broken', effect: 'NoExecute' }]
  await api.patch(NODES, { name: 'n2' }, { type: 'merge', value: { spec: { taints } } })
  await runAll(under)
  deepEqual(await nodesOf(api), [])
})

test('an update replaces one pod after the other', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(DAEMON_SETS, agent())
  await runAll(under)
  const value = { spec: { template: { spec: { containers: [{ name: 'main', image: 'two' }] } } } }
  await api.patch(DAEMON_SETS, ref, { type: 'merge', value })
  await runAll(under, async () => {
    const { items } = await api.list(PODS)
    const sound = items.filter(({ metadata, status }) => status?.phase === 'Running' && !metadata.deletionTimestamp)
    equal(sound.length >= 2, true)
  })
  const { items } = await api.list(PODS)
  deepEqual(new Set(items.map(({ spec }) => spec.containers[0]?.image)), new Set(['two']))
  deepEqual(await nodesOf(api), ['n1', 'n2', 'n3'])
})

test('with maxSurge, the new pod is available before the old one goes', async (context) => {
  const under = await start(context)
  const { api } = under
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const
  await api.create(DAEMON_SETS, agent({ updateStrategy: strategy }))
  await runAll(under)
  const value = { spec: { template: { spec: { containers: [{ name: 'main', image: 'two' }] } } } }
  await api.patch(DAEMON_SETS, ref, { type: 'merge', value })
  await runAll(under, async () => {
    const { items } = await api.list(PODS)
    const sound = items.filter(({ metadata, status }) => status?.phase === 'Running' && !metadata.deletionTimestamp)
    equal(sound.length >= 3, true)
  })
  const { items } = await api.list(PODS)
  deepEqual(new Set(items.map(({ spec }) => spec.containers[0]?.image)), new Set(['two']))
})
