import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { DEPLOYMENTS } from '../../../api/kinds/deployment.ts'
import type { Deployment, DeploymentSpec } from '../../../api/kinds/deployment.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../../api/kinds/replica-set.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import type { ControllerUnderTest } from '../../testing/describe-controller.ts'
import { replicaSetOptions, startReplicaSet } from '../replica-set/index.ts'
import { makeReady, removePod } from '../testing/play-kubelet.ts'
import { deploymentOptions, startDeployment } from './start-deployment.ts'

const start = (context: TestContext) =>
  startControllersUnderTest(context, [
    (world, signal) => startReplicaSet(defaultsOf(replicaSetOptions), world, signal),
    (world, signal) => startDeployment(defaultsOf(deploymentOptions), world, signal),
  ])
const ref = { namespace: 'default', name: 'web' }
const labels = { app: 'web' }
const web = (spec: Partial<DeploymentSpec> = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: ref,
  spec: {
    replicas: 4,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    ...spec,
  },
})
const change = (api: Api, spec: object) => api.patch(DEPLOYMENTS, ref, { type: 'merge', value: { spec } })
const imageSpec = (image: string) => ({ template: { spec: { containers: [{ name: 'main', image }] } } })

/** What kubelets do: pods become ready, and those that are being deleted end. Calls back before each turn. */
async function runAll(
  { api, settled }: ControllerUnderTest,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    await settled()
    await look()
    const { items } = await api.list(PODS)
    const [next] = items.filter(({ metadata, status }) => status?.phase !== 'Running' || metadata.deletionTimestamp)
    if (!next) return
    await (next.metadata.deletionTimestamp ? removePod : makeReady)(api, next.metadata.name ?? '')
  }
  throw new Error('the rollout does not end')
}
const setsOf = async (api: Api): Promise<Record<string, number | undefined>> =>
  Object.fromEntries(
    (await api.list(REPLICA_SETS)).items.map(({ spec, metadata }) => [
      `${spec.template.spec.containers[0]?.image} ${metadata.annotations?.['deployment.kubernetes.io/revision']}`,
      spec.replicas,
    ]),
  )
const progress = async (api: Api) => {
  const { status } = await api.get(DEPLOYMENTS, ref)
  const condition = status?.conditions?.find(({ type }) => type === 'Progressing')
  return [condition?.status, condition?.reason]
}

test('a Deployment gets a ReplicaSet, its pods and the status of Kubernetes', async (context) => {
  const under = await start(context)
  const { api, settled, events, writes, advance } = under
  await api.create(DEPLOYMENTS, web())
  await settled()
  deepEqual(await progress(api), ['True', 'ReplicaSetUpdated'])
  await runAll(under)
  const { status, metadata } = await api.get(DEPLOYMENTS, ref)
  const { conditions = [], ...counts } = status ?? {}
  deepEqual(counts, {
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 4,
    readyReplicas: 4,
    availableReplicas: 4,
    terminatingReplicas: 0,
  })
  deepEqual(conditions.map(({ type, status: state, reason }) => `${type} ${state} ${reason}`).toSorted(), [
    'Available True MinimumReplicasAvailable',
    'Progressing True NewReplicaSetAvailable',
  ])
  equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '1')
  equal((await events()).includes('Normal ScalingReplicaSet Deployment/web'), true)
  const before = writes.length
  await advance(3_600_000)
  equal(writes.length, before)
})

test('a rolling update stays between its limits', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(DEPLOYMENTS, web({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }))
  await runAll(under)
  await change(api, imageSpec('two'))
  const seen: [total: number, ready: number][] = []
  await runAll(under, async () => {
    const { items } = await api.list(PODS)
    const present = items.filter(({ metadata }) => !metadata.deletionTimestamp)
    seen.push([present.length, present.filter(({ status }) => status?.phase === 'Running').length])
  })
  equal(
    seen.every(([total, ready]) => total <= 5 && ready >= 3),
    true,
    JSON.stringify(seen),
  )
  deepEqual(await setsOf(api), { 'one 1': 0, 'two 2': 4 })
  deepEqual(await progress(api), ['True', 'NewReplicaSetAvailable'])
})

test('a rollback uses the old ReplicaSet, with the next revision', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(DEPLOYMENTS, web())
  await runAll(under)
  await change(api, imageSpec('two'))
  await runAll(under)
  await change(api, imageSpec('one'))
  await runAll(under)
  deepEqual(await setsOf(api), { 'two 2': 0, 'one 3': 4 })
  const [old] = (await api.list(REPLICA_SETS)).items.filter(({ spec }) => spec.replicas === 4)
  equal(old?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1')
})

test('with Recreate, the last old pod is gone before the first new one is created', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(DEPLOYMENTS, web({ replicas: 2, strategy: { type: 'Recreate' } }))
  await runAll(under)
  await change(api, imageSpec('two'))
  await runAll(under, async () => {
    const { items } = await api.list(PODS)
    equal(new Set(items.map(({ spec }) => spec.containers[0]?.image)).size <= 1, true)
  })
  deepEqual(await setsOf(api), { 'one 1': 0, 'two 2': 2 })
})

test('a paused Deployment is scaled, but not rolled out', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(DEPLOYMENTS, web())
  await runAll(under)
  await change(api, { paused: true, replicas: 6, ...imageSpec('two') })
  await runAll(under)
  deepEqual(await setsOf(api), { 'one 1': 6 })
  deepEqual(await progress(api), ['Unknown', 'DeploymentPaused'])
  await change(api, { paused: false })
  await runAll(under)
  deepEqual(await setsOf(api), { 'one 1': 0, 'two 2': 6 })
})

test('a rollout that makes no progress is reported when its deadline has passed', async (context) => {
  const under = await start(context)
  const { api, settled, advance } = under
  await api.create(DEPLOYMENTS, web({ progressDeadlineSeconds: 60 }))
  await settled()
  await advance(59_000)
  deepEqual(await progress(api), ['True', 'ReplicaSetUpdated'])
  await advance(3000)
  deepEqual(await progress(api), ['False', 'ProgressDeadlineExceeded'])
  await runAll(under)
  deepEqual(await progress(api), ['True', 'NewReplicaSetAvailable'])
})

test('a change of size in the middle of a rollout is shared by both ReplicaSets', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(DEPLOYMENTS, web({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }))
  await runAll(under)
  await change(api, imageSpec('two'))
  await settled()
  deepEqual(await setsOf(api), { 'one 1': 8, 'two 2': 5 })
  await change(api, { replicas: 15 })
  await settled()
  deepEqual(await setsOf(api), { 'one 1': 11, 'two 2': 7 })
})

test('old ReplicaSets beyond the limit are deleted', async (context) => {
  const under = await start(context)
  const { api, advance } = under
  await api.create(DEPLOYMENTS, web({ replicas: 1, revisionHistoryLimit: 1 }))
  for (const image of ['two', 'three', 'four']) {
    await runAll(under)
    await change(api, imageSpec(image))
  }
  await runAll(under)
  await advance(5000)
  deepEqual(await setsOf(api), { 'three 3': 0, 'four 4': 1 })
})

test('a Deployment that is deleted with its pods orphaned gives them to its successor', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(DEPLOYMENTS, web())
  await runAll(under)
  const [before] = (await api.list(REPLICA_SETS)).items
  await api.delete(DEPLOYMENTS, ref, { propagationPolicy: 'Orphan' })
  await settled()
  const { metadata } = await api.create(DEPLOYMENTS, web())
  await settled()
  const { items } = await api.list(REPLICA_SETS)
  deepEqual(
    items.map((set) => [set.metadata.uid, set.metadata.ownerReferences?.[0]?.uid]),
    [[before?.metadata.uid, metadata.uid]],
  )
})
