import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import type { ApiError } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { createSimulatedBackend } from '../../testing/simulated-backend.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { configMap, pod } from '../testing/objects-under-test.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

const makeNamespace = async (server: ServerUnderTest, name = 'apps'): Promise<void> => {
  await server.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await server.settled()
}
const isGone = async (server: ServerUnderTest, name = 'apps'): Promise<boolean> => {
  await server.settled()
  return server.api.get(NAMESPACES, { name }).then(
    () => false,
    (error: unknown) => isNotFound(error),
  )
}
const apps = (name: string) => ({ namespace: 'apps', name })

describe('a namespace', () => {
  test('loses its pods before everything else, and says what is left', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    await server.api.create(PODS, pod('held', { namespace: 'apps', finalizers: ['example.com/held'] }))
    await server.api.create(CONFIG_MAPS, configMap('kept', { namespace: 'apps' }))
    await server.api.delete(NAMESPACES, { name: 'apps' })
    await server.settled()
    await server.clock.advance(1_000)
    await server.settled()
    equal((await server.api.get(CONFIG_MAPS, apps('kept'))).metadata.deletionTimestamp, undefined)
    const { status } = await server.api.get(NAMESPACES, { name: 'apps' })
    const found = status?.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining')
    equal(
      found?.message,
      'Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances',
    )
    await server.api.patch(PODS, apps('held'), { type: 'merge', value: { metadata: { finalizers: null } } })
    equal(await isGone(server), true)
  })

  test('is there from the start, four times', async () => {
    await using server = await openServerUnderTest()
    const { items } = await server.api.list(NAMESPACES)
    deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['default', 'kube-node-lease', 'kube-public', 'kube-system'],
    )
    for (const { metadata } of items) {
      const namespace = metadata.name ?? ''
      equal((await server.api.get(SERVICE_ACCOUNTS, { namespace, name: 'default' })).kind, 'ServiceAccount')
      deepEqual((await server.api.get(CONFIG_MAPS, { namespace, name: 'kube-root-ca.crt' })).data, { 'ca.crt': 'test' })
    }
  })

  test('begins active, labelled with its name and held until it is empty', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    const { metadata, spec, status } = await server.api.get(NAMESPACES, { name: 'apps' })
    deepEqual(
      [metadata.labels, spec?.finalizers, status],
      [{ 'kubernetes.io/metadata.name': 'apps' }, ['kubernetes'], { phase: 'Active' }],
    )
  })

  test('gets back what every one has when somebody removes or changes it', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    await server.api.delete(SERVICE_ACCOUNTS, apps('default'))
    await server.api.patch(CONFIG_MAPS, apps('kube-root-ca.crt'), {
      type: 'merge',
      value: { data: { 'ca.crt': 'forged' } },
    })
    await server.settled()
    equal((await server.api.get(SERVICE_ACCOUNTS, apps('default'))).kind, 'ServiceAccount')
    deepEqual((await server.api.get(CONFIG_MAPS, apps('kube-root-ca.crt'))).data, { 'ca.crt': 'test' })
  })

  test('gets the new authority when the server comes back with another', async () => {
    const backend = createSimulatedBackend()
    await (await openServerUnderTest({ backend })).close()
    await using server = await openServerUnderTest({ backend, rootCaPem: 'new' })
    deepEqual((await server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'kube-root-ca.crt' })).data, {
      'ca.crt': 'new',
    })
  })
})

describe('deleting a namespace', () => {
  test('takes everything in it, then the namespace, in that order', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    for (const name of ['a', 'b']) await server.api.create(CONFIG_MAPS, configMap(name, { namespace: 'apps' }))
    await server.api.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: apps('l') })
    await server.api.create(CONFIG_MAPS, configMap('elsewhere'))
    using maps = recordWatch((signal) =>
      server.api.watch(CONFIG_MAPS, {
        namespace: 'apps',
        resourceVersion: String(server.core.parts.store.revision()),
        signal,
      }),
    )
    using namespaces = recordWatch((signal) =>
      server.api.watch(NAMESPACES, { fieldSelector: 'metadata.name=apps', signal }),
    )
    await server.settled()
    const marked = await server.api.delete(NAMESPACES, { name: 'apps' })
    ok(marked.kind === 'Namespace' && marked.status?.phase === 'Terminating' && marked.metadata.deletionTimestamp)
    equal(await isGone(server), true)
    deepEqual(maps.texts().sort(), ['DELETED a', 'DELETED b', 'DELETED kube-root-ca.crt'])
    deepEqual(namespaces.texts(), ['ADDED apps', 'MODIFIED apps', 'DELETED apps'])
    const last = namespaces.events.at(-1)
    const revisions = maps.events.map((event) =>
      event.type === 'BOOKMARK' ? 0 : Number(event.object.metadata.resourceVersion),
    )
    ok(
      last?.type === 'DELETED' &&
        revisions.every((revision) => revision < Number(last.object.metadata.resourceVersion)),
    )
    equal((await server.api.get(CONFIG_MAPS, { namespace: 'default', name: 'elsewhere' })).kind, 'ConfigMap')
    await rejects(server.api.get(LEASES, apps('l')), isNotFound)
  })

  test('waits for finalizers', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    await server.api.create(CONFIG_MAPS, configMap('held', { namespace: 'apps', finalizers: ['example.com/x'] }))
    await server.api.delete(NAMESPACES, { name: 'apps' })
    equal(await isGone(server), false)
    ok((await server.api.get(CONFIG_MAPS, apps('held'))).metadata.deletionTimestamp)
    await server.api.patch(CONFIG_MAPS, apps('held'), { type: 'merge', value: { metadata: { finalizers: null } } })
    equal(await isGone(server), true)
  })

  test('leaves pods on nodes their grace: their volumes are still mounted', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    await server.api.create(PODS, pod('running', { namespace: 'apps' }, { nodeName: 'n1' }))
    await server.api.create(PODS, pod('waiting', { namespace: 'apps' }))
    await server.api.delete(NAMESPACES, { name: 'apps' })
    equal(await isGone(server), false)
    const { items } = await server.api.list(PODS, { namespace: 'apps' })
    deepEqual(
      items.map(({ metadata }) => [metadata.name, metadata.deletionGracePeriodSeconds]),
      [['running', 30]],
    )
    await server.api.delete(PODS, apps('running'), { gracePeriodSeconds: 0 })
    equal(await isGone(server), true)
  })

  test('lets nothing new in meanwhile', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    await server.api.create(CONFIG_MAPS, configMap('held', { namespace: 'apps', finalizers: ['example.com/x'] }))
    await server.api.delete(NAMESPACES, { name: 'apps' })
    await rejects(server.api.create(CONFIG_MAPS, configMap('late', { namespace: 'apps' })), (error: ApiError) => {
      equal(
        error.message,
        'configmaps "late" is forbidden: unable to create new content in namespace apps because it is being terminated',
      )
      deepEqual([error.code, error.causes[0]?.reason], [403, 'NamespaceTerminating'])
      return true
    })
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: apps('late') } as const
    await rejects(
      server.api.update(LEASES, lease),
      isRefusal('Forbidden', /being terminated/),
      'nor by a PUT that would create',
    )
  })

  test('is refused for those that a cluster can not be without', async () => {
    await using server = await openServerUnderTest()
    for (const name of ['default', 'kube-system', 'kube-public']) {
      await rejects(
        server.api.delete(NAMESPACES, { name }),
        isRefusal('Forbidden', /this namespace may not be deleted/),
      )
    }
  })

  test('goes on after a restart in the middle', async () => {
    const backend = createSimulatedBackend()
    const first = await openServerUnderTest({ backend })
    await makeNamespace(first)
    await first.api.create(CONFIG_MAPS, configMap('held', { namespace: 'apps', finalizers: ['example.com/x'] }))
    await first.api.delete(NAMESPACES, { name: 'apps' })
    // Its background tasks stop before they have done anything.
    await first.close()
    await using server = await openServerUnderTest({ backend })
    equal(await isGone(server), false)
    await server.api.patch(CONFIG_MAPS, apps('held'), { type: 'merge', value: { metadata: { finalizers: null } } })
    equal(await isGone(server), true)
  })

  test('leaves room for a new one of the same name, with nothing of the old', async () => {
    await using server = await openServerUnderTest()
    await makeNamespace(server)
    await server.api.create(CONFIG_MAPS, configMap('old', { namespace: 'apps' }))
    const { uid } = (await server.api.get(NAMESPACES, { name: 'apps' })).metadata
    await server.api.delete(NAMESPACES, { name: 'apps' })
    await server.settled()
    await makeNamespace(server)
    ok((await server.api.get(NAMESPACES, { name: 'apps' })).metadata.uid !== uid)
    deepEqual(
      (await server.api.list(CONFIG_MAPS, { namespace: 'apps' })).items.map(({ metadata }) => metadata.name),
      ['kube-root-ca.crt'],
    )
  })
})
