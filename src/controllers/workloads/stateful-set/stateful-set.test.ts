import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Api } from '../../../api/api.ts'
import { ApiError } from '../../../api/api-error.ts'
import { CONTROLLER_REVISIONS } from '../../../api/kinds/controller-revision.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { STATEFUL_SETS } from '../../../api/kinds/stateful-set.ts'
import type { StatefulSet, StatefulSetSpec } from '../../../api/kinds/stateful-set.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import type { ControllerTestOptions, ControllerUnderTest } from '../../testing/describe-controller.ts'
import { endPod, makeReady, removePod } from '../testing/play-kubelet.ts'
import { startStatefulSet, statefulSetOptions } from './start-stateful-set.ts'

const start = (context: TestContext, options?: ControllerTestOptions) =>
  startControllersUnderTest(
    context,
    [(world, signal) => startStatefulSet(defaultsOf(statefulSetOptions), world, signal)],
    options,
  )

const webSet = (more: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    replicas: 3,
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
    ...more,
  },
})
const ref = { namespace: 'default', name: 'web' }
const names = async <T extends KubeObject>(api: Api, type: ResourceType<T>): Promise<string[]> =>
  (await api.list(type)).items.map(({ metadata }) => metadata.name ?? '').sort()
const patchSpec = (api: Api, spec: object) => api.patch(STATEFUL_SETS, ref, { type: 'merge', value: { spec } })
const newImage = { template: { spec: { containers: [{ name: 'main', image: 'two' }] } } }

test('pods come one after the other, each with its claim, once the one before is ready', async (context) => {
  const { api, settled, events } = await start(context)
  await api.create(STATEFUL_SETS, webSet())
  await settled()
  deepEqual(await names(api, PODS), ['web-0'])
  deepEqual(await names(api, PERSISTENT_VOLUME_CLAIMS), ['data-web-0'])
  await makeReady(api, 'web-0')
  await settled()
  deepEqual(await names(api, PODS), ['web-0', 'web-1'])
  await makeReady(api, 'web-1')
  await settled()
  await makeReady(api, 'web-2')
  await settled()
  const { status } = await api.get(STATEFUL_SETS, ref)
  const [revision] = (await api.list(CONTROLLER_REVISIONS)).items
  const name = revision?.metadata.name ?? ''
  deepEqual(status, {
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    availableReplicas: 3,
    currentRevision: name,
    updateRevision: name,
    collisionCount: 0,
  })
  const pod = await api.get(PODS, { namespace: 'default', name: 'web-2' })
  deepEqual(pod.metadata.labels, {
    app: 'web',
    'statefulset.kubernetes.io/pod-name': 'web-2',
    'apps.kubernetes.io/pod-index': '2',
    'controller-revision-hash': name,
  })
  deepEqual([pod.spec.hostname, pod.spec.subdomain], ['web-2', 'web'])
  equal(pod.spec.volumes?.[0]?.persistentVolumeClaim?.claimName, 'data-web-2')
  equal((await events()).filter((text) => text === 'Normal SuccessfulCreate StatefulSet/web').length, 6)
})

/** All pods that exist become ready, until nothing changes any more. */
async function runAll({ api, settled }: ControllerUnderTest): Promise<void> {
  for (let turn = 0; turn < 30; turn++) {
    await settled()
    const { items } = await api.list(PODS)
    const waiting = items.filter(({ metadata, status }) => status?.phase !== 'Running' || metadata.deletionTimestamp)
    if (waiting.length === 0) return
    for (const { metadata } of waiting)
      await (metadata.deletionTimestamp ? removePod : makeReady)(api, metadata.name ?? '')
  }
}
const revisionNumbers = async (api: Api): Promise<number[]> =>
  (await api.list(CONTROLLER_REVISIONS)).items.map(({ revision }) => revision).sort((one, other) => one - other)
const imagesOf = async (api: Api): Promise<Record<string, string | undefined>> =>
  Object.fromEntries(
    (await api.list(PODS)).items.map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]),
  )

test('in parallel, all pods are created at once', async (context) => {
  const { api, settled } = await start(context)
  await api.create(STATEFUL_SETS, webSet({ podManagementPolicy: 'Parallel', replicas: 5, ordinals: { start: 10 } }))
  await settled()
  deepEqual(await names(api, PODS), ['web-10', 'web-11', 'web-12', 'web-13', 'web-14'])
  equal((await api.get(STATEFUL_SETS, ref)).status?.replicas, 5)
})

test('a set that is scaled down loses its highest pods one by one and keeps its claims', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(STATEFUL_SETS, webSet())
  await runAll(under)
  await patchSpec(api, { replicas: 1 })
  await settled()
  const leaving = (await api.list(PODS)).items.filter(({ metadata }) => metadata.deletionTimestamp)
  deepEqual(
    leaving.map(({ metadata }) => metadata.name),
    ['web-2'],
  )
  await runAll(under)
  deepEqual(await names(api, PODS), ['web-0'])
  deepEqual(await names(api, PERSISTENT_VOLUME_CLAIMS), ['data-web-0', 'data-web-1', 'data-web-2'])
})

test('with whenScaled: Delete, the claims of a set that is scaled down go with their pods', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(STATEFUL_SETS, webSet({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }))
  await runAll(under)
  await patchSpec(api, { replicas: 1 })
  await runAll(under)
  await settled()
  const claims = await api.list(PERSISTENT_VOLUME_CLAIMS)
  // Claim protection keeps them until its controller has seen that the pods are gone; it does not run here.
  const leaving = claims.items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  deepEqual(leaving.map(({ metadata }) => metadata.name ?? '').toSorted(), ['data-web-1', 'data-web-2'])
  // A pod that is wanted again does not use a claim that is being deleted.
  await patchSpec(api, { replicas: 2 })
  await settled()
  deepEqual(await names(api, PODS), ['web-0'])
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: 'default', name: 'data-web-1' },
    { type: 'merge', value: { metadata: { finalizers: null } } },
  )
  await runAll(under)
  deepEqual(await names(api, PODS), ['web-0', 'web-1'])
})

test('with whenDeleted: Delete, the claims go with the set', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(STATEFUL_SETS, webSet({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } }))
  await runAll(under)
  await api.delete(STATEFUL_SETS, ref, { propagationPolicy: 'Background' })
  await settled()
  const claims = await api.list(PERSISTENT_VOLUME_CLAIMS)
  equal(claims.items.length, 3)
  equal(
    claims.items.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    true,
  )
})

test('claims get and lose their owner when the policy changes', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(STATEFUL_SETS, webSet({ replicas: 1 }))
  await runAll(under)
  const owners = async () =>
    (await api.list(PERSISTENT_VOLUME_CLAIMS)).items.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)
  deepEqual(await owners(), [undefined])
  await patchSpec(api, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } })
  await runAll(under)
  deepEqual(await owners(), ['StatefulSet'])
  await patchSpec(api, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } })
  await runAll(under)
  deepEqual(await owners(), [undefined])
})

test('a rolling update replaces pods from the highest down to the partition; a rollback uses the old revision', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(STATEFUL_SETS, webSet())
  await runAll(under)
  await patchSpec(api, { ...newImage, updateStrategy: { rollingUpdate: { partition: 1 } } })
  await settled()
  const leaving = (await api.list(PODS)).items.filter(({ metadata }) => metadata.deletionTimestamp)
  deepEqual(
    leaving.map(({ metadata }) => metadata.name),
    ['web-2'],
  )
  await runAll(under)
  deepEqual(await imagesOf(api), { 'web-0': 'one', 'web-1': 'two', 'web-2': 'two' })
  const { status } = await api.get(STATEFUL_SETS, ref)
  deepEqual([status?.currentReplicas, status?.updatedReplicas], [1, 2])
  equal(status?.currentRevision === status?.updateRevision, false)
  // A pod below the partition that is deleted comes back with the old template.
  await removePod(api, 'web-0')
  await runAll(under)
  equal((await imagesOf(api))['web-0'], 'one')

  await patchSpec(api, { updateStrategy: { rollingUpdate: { partition: 0 } } })
  await runAll(under)
  deepEqual(new Set(Object.values(await imagesOf(api))), new Set(['two']))
  const after = (await api.get(STATEFUL_SETS, ref)).status
  equal(after?.currentRevision, after?.updateRevision)

  await patchSpec(api, { template: webSet().spec.template })
  await runAll(under)
  deepEqual(new Set(Object.values(await imagesOf(api))), new Set(['one']))
  deepEqual(await revisionNumbers(api), [2, 3])
})

test('with OnDelete, only deleted pods get the new template', async (context) => {
  const under = await start(context)
  const { api } = under
  await api.create(STATEFUL_SETS, webSet({ replicas: 2, updateStrategy: { type: 'OnDelete' } }))
  await runAll(under)
  await patchSpec(api, newImage)
  await runAll(under)
  deepEqual(await imagesOf(api), { 'web-0': 'one', 'web-1': 'one' })
  await removePod(api, 'web-0')
  await runAll(under)
  deepEqual(await imagesOf(api), { 'web-0': 'two', 'web-1': 'one' })
})

test('old revisions are deleted beyond the limit', async (context) => {
  const under = await start(context)
  const { api, advance } = under
  await api.create(STATEFUL_SETS, webSet({ replicas: 1, revisionHistoryLimit: 1 }))
  await runAll(under)
  for (const image of ['two', 'three', 'four']) {
    await patchSpec(api, { template: { spec: { containers: [{ name: 'main', image }] } } })
    await runAll(under)
  }
  await advance(2000)
  deepEqual(await revisionNumbers(api), [3, 4])
})

test('a pod that has ended is replaced', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(STATEFUL_SETS, webSet({ replicas: 1 }))
  await runAll(under)
  const before = await api.get(PODS, { namespace: 'default', name: 'web-0' })
  await endPod(api, 'web-0', 'Failed')
  await settled()
  const { items } = await api.list(PODS)
  equal(
    items.every(({ metadata }) => metadata.uid !== before.metadata.uid || metadata.deletionTimestamp),
    true,
  )
  await runAll(under)
  equal((await api.get(STATEFUL_SETS, ref)).status?.readyReplicas, 1)
})

test('pods without a controller are adopted, and pods that are no longer selected are released', async (context) => {
  const under = await start(context)
  const { api, settled } = under
  await api.create(STATEFUL_SETS, webSet({ replicas: 2 }))
  await runAll(under)
  await api.delete(STATEFUL_SETS, ref, { propagationPolicy: 'Orphan' })
  await settled()
  deepEqual(await names(api, PODS), ['web-0', 'web-1'])
  const before = (await api.list(PODS)).items.map(({ metadata }) => metadata.uid)
  const { metadata } = await api.create(STATEFUL_SETS, webSet({ replicas: 2 }))
  await settled()
  const adopted = (await api.list(PODS)).items
  deepEqual(
    adopted.map((pod) => pod.metadata.uid),
    before,
  )
  deepEqual(new Set(adopted.map((pod) => pod.metadata.ownerReferences?.[0]?.uid)), new Set([metadata.uid]))
  await api.patch(
    PODS,
    { namespace: 'default', name: 'web-1' },
    { type: 'merge', value: { metadata: { labels: { app: 'debug' } } } },
  )
  await settled()
  const released = await api.get(PODS, { namespace: 'default', name: 'web-1' })
  equal(released.metadata.ownerReferences, undefined)
})

test('minReadySeconds delays the next pod', async (context) => {
  const { api, settled, advance, clock } = await start(context)
  await api.create(STATEFUL_SETS, webSet({ replicas: 2, minReadySeconds: 30 }))
  await settled()
  await makeReady(api, 'web-0', { sinceMs: clock.nowMs() })
  await settled()
  deepEqual(await names(api, PODS), ['web-0'])
  await advance(31_000)
  deepEqual(await names(api, PODS), ['web-0', 'web-1'])
})

test('a restarted controller continues, and an idle one writes nothing', async (context) => {
  const under = await start(context)
  const { api, settled, stop, writes, advance } = under
  await api.create(STATEFUL_SETS, webSet())
  await settled()
  await makeReady(api, 'web-0')
  await stop()
  await under.start()
  await runAll(under)
  deepEqual(await names(api, PODS), ['web-0', 'web-1', 'web-2'])
  const before = writes.length
  await advance(600_000)
  equal(writes.length, before)
})

test('a pod that the server rejects is reported, and retried', async (context) => {
  let isForbidden = true
  const { api, settled, events, advance } = await start(context, {
    apiOf: ({ api: own }) => ({
      ...own,
      create: (type, object, options) =>
        isForbidden && type.plural === 'pods'
          ? Promise.reject(new ApiError('Forbidden', 'exceeded quota: small'))
          : own.create(type, object, options),
    }),
  })
  await api.create(STATEFUL_SETS, webSet())
  await settled()
  equal((await events()).includes('Warning FailedCreate StatefulSet/web'), true)
  equal((await api.get(STATEFUL_SETS, ref)).status?.observedGeneration, 1)
  isForbidden = false
  await advance(60_000)
  deepEqual(await names(api, PODS), ['web-0'])
})
