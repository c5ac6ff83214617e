import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../../../api/api-error.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { REPLICA_SETS } from '../../../api/kinds/replica-set.ts'
import type { ReplicaSet } from '../../../api/kinds/replica-set.ts'
import { REPLICATION_CONTROLLERS } from '../../../api/kinds/replication-controller.ts'
import { defaultsOf } from '../../../base/options/index.ts'
import { startControllersUnderTest } from '../../testing/describe-controller.ts'
import type { ControllerTestOptions } from '../../testing/describe-controller.ts'
import { makeReady } from '../testing/play-kubelet.ts'
import {
  replicaSetOptions,
  replicationControllerOptions,
  startReplicaSet,
  startReplicationController,
} from './start-replica-set.ts'

const start = (context: TestContext, options?: ControllerTestOptions) =>
  startControllersUnderTest(
    context,
    [
      (world, signal) => startReplicaSet(defaultsOf(replicaSetOptions), world, signal),
      (world, signal) => startReplicationController(defaultsOf(replicationControllerOptions), world, signal),
    ],
    options,
  )
const ref = { namespace: 'default', name: 'web' }
const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } }
const webSet = (replicas = 3): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: ref,
  spec: { replicas, selector: { matchLabels: labels }, template },
})

test('a ReplicaSet gets exactly its pods, even if the cache shows them late', async (context) => {
  const { api, settled, writes, events, advance } = await start(context)
  await api.create(REPLICA_SETS, webSet(30))
  await settled()
  const { items } = await api.list(PODS)
  equal(items.length, 30)
  equal(
    items.every(({ metadata }) => metadata.name?.startsWith('web-')),
    true,
  )
  const { status } = await api.get(REPLICA_SETS, ref)
  deepEqual(status, { replicas: 30, fullyLabeledReplicas: 30, terminatingReplicas: 0, observedGeneration: 1 })
  equal(writes.filter((write) => write === 'create pods undefined' || write.startsWith('create pods')).length, 30)
  deepEqual(new Set(await events()), new Set(['Normal SuccessfulCreate ReplicaSet/web']))
  const before = writes.length
  await advance(600_000)
  equal(writes.length, before)
})

test('a ReplicaSet that is scaled down keeps the pods that are ready', async (context) => {
  const { api, settled } = await start(context)
  await api.create(REPLICA_SETS, webSet())
  await settled()
  const [ready] = (await api.list(PODS)).items
  await makeReady(api, ready?.metadata.name ?? '')
  await api.patch(REPLICA_SETS, ref, { type: 'merge', value: { spec: { replicas: 1 } } })
  await settled()
  const { items } = await api.list(PODS)
  deepEqual(
    items.map(({ metadata }) => metadata.uid),
    [ready?.metadata.uid],
  )
  const { status } = await api.get(REPLICA_SETS, ref)
  deepEqual([status?.replicas, status?.readyReplicas, status?.availableReplicas], [1, 1, 1])
})

test('a pod without a controller counts, and one that is no longer selected is replaced', async (context) => {
  const { api, settled } = await start(context)
  await api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...ref, name: 'mine', labels },
    spec: template.spec,
  })
  await api.create(REPLICA_SETS, webSet(1))
  await settled()
  const adopted = (await api.list(PODS)).items
  deepEqual(
    adopted.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.name]),
    [['mine', 'web']],
  )
  await api.patch(PODS, { ...ref, name: 'mine' }, { type: 'merge', value: { metadata: { labels: { app: 'debug' } } } })
  await settled()
  const after = await api.list(PODS)
  equal(after.items.length, 2)
  equal(after.items.find(({ metadata }) => metadata.name === 'mine')?.metadata.ownerReferences, undefined)
})

test('a server that rejects pods is reported in the status, until it accepts them', async (context) => {
  let isForbidden = true
  let attempts = 0
  const { api, settled, advance, events } = await start(context, {
    apiOf: ({ api: own }) => ({
      ...own,
      create: (type, object, options) =>
        isForbidden && type.plural === 'pods'
          ? (attempts++, Promise.reject(new ApiError('Forbidden', 'exceeded quota: small')))
          : own.create(type, object, options),
    }),
  })
  await api.create(REPLICA_SETS, webSet(100))
  await settled()
  const failed = (await api.get(REPLICA_SETS, ref)).status
  deepEqual(
    failed?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [['ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota: small']],
  )
  equal(failed?.observedGeneration, 1)
  equal((await events()).includes('Warning FailedCreate ReplicaSet/web'), true)
  // One request shows that the server rejects them, not a hundred.
  equal(attempts < 5, true, `${attempts} attempts`)
  isForbidden = false
  await advance(60_000)
  const { status } = await api.get(REPLICA_SETS, ref)
  deepEqual([status?.replicas, status?.conditions], [100, undefined])
})

test('a ReplicationController works in the same way', async (context) => {
  const { api, settled } = await start(context)
  await api.create(REPLICATION_CONTROLLERS, {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: ref,
    spec: { replicas: 2, template },
  })
  await settled()
  const { items } = await api.list(PODS)
  deepEqual(
    items.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind),
    ['ReplicationController', 'ReplicationController'],
  )
  equal((await api.get(REPLICATION_CONTROLLERS, ref)).status?.replicas, 2)
})
