import { deepEqual, equal, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DeleteOptions } from '../../api/api.ts'
import { isNotFound } from '../../api/api-error.ts'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/object.ts'
import { createSimulatedBackend } from '../../testing/simulated-backend.ts'
import type { Backend } from '../storage/backend.ts'
import { configMap, ownedBy } from '../testing/objects-under-test.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'

let shared: ServerUnderTest
let number = 0
before(async () => void (shared = await openServerUnderTest()))
after(() => shared.close())

/** A separate namespace in which owners and dependents are ConfigMaps. */
async function openWorld(server = shared) {
  const namespace = `gc-${number++}`
  await server.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await server.settled()
  const at = (name: string) => ({ namespace, name })
  return {
    server,
    namespace,
    make: (name: string, owners: readonly OwnerReference[] = [], metadata: ObjectMeta = {}): Promise<ConfigMap> =>
      server.api.create(
        CONFIG_MAPS,
        configMap(name, { ...metadata, namespace, ...(owners.length > 0 ? { ownerReferences: owners } : {}) }),
      ),
    remove: (name: string, propagationPolicy?: DeleteOptions['propagationPolicy']) =>
      server.api.delete(CONFIG_MAPS, at(name), propagationPolicy ? { propagationPolicy } : {}),
    patchMeta: (name: string, metadata: object) =>
      server.api.patch(CONFIG_MAPS, at(name), { type: 'merge', value: { metadata } }),
    get: (name: string) => server.api.get(CONFIG_MAPS, at(name)),
    /** The names of the remaining objects. */
    left: async (): Promise<string[]> => {
      await server.settled()
      const { items } = await server.api.list(CONFIG_MAPS, {
        namespace,
        fieldSelector: 'metadata.name!=kube-root-ca.crt',
      })
      return items.map(({ metadata }) =>
        metadata.deletionTimestamp ? `${metadata.name} (leaving)` : (metadata.name ?? ''),
      )
    },
  }
}
const blocking = (owner: KubeObject): OwnerReference => ownedBy(owner, { blockOwnerDeletion: true })

describe('background deletion', () => {
  test('takes dependents after their owner, and theirs after them', async () => {
    const { make, remove, left } = await openWorld()
    const owner = await make('owner')
    const child = await make('child', [ownedBy(owner)])
    await make('grandchild', [ownedBy(child)])
    await make('stranger')
    await remove('owner')
    deepEqual(await left(), ['stranger'])
  })

  test('leaves a dependent as long as one of its owners lives, and forgets the one that is gone', async () => {
    const { make, remove, left, get } = await openWorld()
    const [one, other] = [await make('one'), await make('other')]
    await make('child', [ownedBy(one), ownedBy(other)])
    await remove('one')
    deepEqual(await left(), ['child', 'other'])
    deepEqual((await get('child')).metadata.ownerReferences, [ownedBy(other)])
    await remove('other')
    deepEqual(await left(), [])
  })

  test('takes at once what belongs to an owner that never was', async () => {
    const { make, left } = await openWorld()
    await make('orphan', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'ghost' }])
    deepEqual(await left(), [])
  })

  test('takes what belongs to an owner that was replaced by another of its name', async () => {
    const { make, remove, left } = await openWorld()
    const old = await make('owner')
    await remove('owner')
    await make('owner')
    await make('child', [ownedBy(old)])
    deepEqual(await left(), ['owner'])
  })

  test('does not find an owner in another namespace', async () => {
    const elsewhere = await openWorld()
    const owner = await elsewhere.make('owner')
    const { make, left } = await openWorld()
    await make('child', [ownedBy(owner)])
    deepEqual(await left(), [])
    deepEqual(await elsewhere.left(), ['owner'])
  })

  test('finds an owner that has no namespace', async () => {
    const { server, make, left } = await openWorld()
    const node = await server.api.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'gc-node' } })
    await make('child', [ownedBy(node)])
    deepEqual(await left(), ['child'])
    await server.api.delete(NODES, { name: 'gc-node' })
    deepEqual(await left(), [])
  })

  test('leaves alone what has no namespace and names an owner that has one: it can not be looked up', async () => {
    const { server, make } = await openWorld()
    const owner = await make('owner')
    const metadata = { name: 'gc-volume', ownerReferences: [ownedBy(owner)] }
    const spec = {
      accessModes: ['ReadWriteOnce' as const],
      capacity: { storage: '1Gi' },
      csi: { driver: 'd.example.com', volumeHandle: 'h' },
    }
    await server.api.create(PERSISTENT_VOLUMES, { apiVersion: 'v1', kind: 'PersistentVolume', metadata, spec })
    await server.settled()
    equal((await server.api.get(PERSISTENT_VOLUMES, { name: 'gc-volume' })).metadata.deletionTimestamp, undefined)
  })

  test('marks what is held by finalizers, and goes on when they are gone', async () => {
    const { make, remove, left, patchMeta } = await openWorld()
    const owner = await make('owner')
    const child = await make('child', [ownedBy(owner)], { finalizers: ['example.com/x'] })
    await make('grandchild', [ownedBy(child)])
    await remove('owner')
    deepEqual(await left(), ['child (leaving)', 'grandchild'])
    await patchMeta('child', { finalizers: null })
    deepEqual(await left(), [])
  })

  test('takes what is given to an owner that is gone already', async () => {
    const { make, remove, left, patchMeta } = await openWorld()
    const owner = await make('owner')
    await make('child')
    await remove('owner')
    await patchMeta('child', { ownerReferences: [ownedBy(owner)] })
    deepEqual(await left(), [])
  })

  test('judges by kinds that come later once they are there', async () => {
    const { server, make, left } = await openWorld()
    await make('child', [{ apiVersion: 'gc.example.com/v1', kind: 'Thing', name: 'x', uid: 'x' }])
    deepEqual(await left(), ['child'])
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }
    await server.api.create(CUSTOM_RESOURCE_DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.gc.example.com' },
      spec: {
        group: 'gc.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [version],
      },
    })
    deepEqual(await left(), [])
  })
})

describe('foreground deletion', () => {
  test('is not blocked by a circle of owners', async () => {
    const { make, patchMeta, remove, left } = await openWorld()
    const first = await make('first')
    const second = await make('second', [blocking(first)])
    const third = await make('third', [blocking(second)])
    await patchMeta('first', { ownerReferences: [blocking(third)] })
    await remove('first', 'Foreground')
    deepEqual(await left(), [])
  })

  test('keeps the owner until those who hold it are gone', async () => {
    const { make, remove, left, patchMeta } = await openWorld()
    const owner = await make('owner')
    await make('child', [blocking(owner)], { finalizers: ['example.com/x'] })
    await remove('owner', 'Foreground')
    deepEqual(await left(), ['child (leaving)', 'owner (leaving)'])
    await patchMeta('child', { finalizers: null })
    deepEqual(await left(), [])
  })

  test('goes down the whole tree before it takes the root', async () => {
    const { make, remove, left, patchMeta } = await openWorld()
    const owner = await make('owner')
    const child = await make('child', [blocking(owner)])
    await make('grandchild', [blocking(child)], { finalizers: ['example.com/x'] })
    await remove('owner', 'Foreground')
    deepEqual(await left(), ['child (leaving)', 'grandchild (leaving)', 'owner (leaving)'])
    await patchMeta('grandchild', { finalizers: null })
    deepEqual(await left(), [])
  })

  test('does not wait for dependents that do not hold their owner', async () => {
    const { make, remove, left } = await openWorld()
    const owner = await make('owner')
    await make('child', [ownedBy(owner)], { finalizers: ['example.com/x'] })
    await remove('owner', 'Foreground')
    deepEqual(await left(), ['child (leaving)'])
  })

  test('of an owner without dependents is quick', async () => {
    const { make, remove, left } = await openWorld()
    await make('owner')
    await remove('owner', 'Foreground')
    deepEqual(await left(), [])
  })

  test('lets go of a dependent that another owner keeps', async () => {
    const { make, remove, left, get } = await openWorld()
    const [one, other] = [await make('one'), await make('other')]
    await make('child', [blocking(one), blocking(other)])
    await remove('one', 'Foreground')
    deepEqual(await left(), ['child', 'other'])
    deepEqual((await get('child')).metadata.ownerReferences, [blocking(other)])
  })

  test('goes on when a dependent stops holding its owner', async () => {
    const { make, remove, left, patchMeta } = await openWorld()
    const owner = await make('owner')
    await make('child', [blocking(owner)], { finalizers: ['example.com/x'] })
    await remove('owner', 'Foreground')
    deepEqual(await left(), ['child (leaving)', 'owner (leaving)'])
    await patchMeta('child', { ownerReferences: null })
    deepEqual(await left(), ['child (leaving)'])
  })

  test('can be chosen after deletion was asked for', async () => {
    const { make, remove, left, patchMeta } = await openWorld()
    const owner = await make('owner', [], { finalizers: ['example.com/x'] })
    await make('child', [blocking(owner)], { finalizers: ['example.com/x'] })
    await remove('owner')
    await remove('owner', 'Foreground')
    await patchMeta('owner', { finalizers: ['foregroundDeletion'] })
    deepEqual(await left(), ['child (leaving)', 'owner (leaving)'])
    await patchMeta('child', { finalizers: null })
    deepEqual(await left(), [])
  })
})

describe('orphaning deletion', () => {
  test('leaves the dependents, without their owner', async () => {
    const { make, remove, left, get } = await openWorld()
    const [owner, other] = [await make('owner'), await make('other')]
    await make('child', [ownedBy(owner)])
    await make('shared', [ownedBy(owner), ownedBy(other)])
    await remove('owner', 'Orphan')
    deepEqual(await left(), ['child', 'other', 'shared'])
    equal((await get('child')).metadata.ownerReferences, undefined)
    deepEqual((await get('shared')).metadata.ownerReferences, [ownedBy(other)])
  })

  test('loses no dependent that is changed at the same time', async () => {
    const { make, remove, left, patchMeta, get } = await openWorld()
    const owner = await make('owner')
    const names = Array.from({ length: 10 }, (_, index) => `child-${index}`)
    for (const name of names) await make(name, [ownedBy(owner)])
    const writes = names.flatMap((name) =>
      [1, 2, 3].map((step) => patchMeta(name, { labels: { [`step-${step}`]: 'done' } })),
    )
    await Promise.all([remove('owner', 'Orphan'), ...writes])
    deepEqual(await left(), names)
    for (const name of names)
      deepEqual(Object.keys((await get(name)).metadata.labels ?? {}), ['step-1', 'step-2', 'step-3'])
  })
})

/** Allows this many commits, then fails as if the machine had stopped. */
function stopAfter(backend: Backend, commits: number): Backend {
  let left = commits
  return {
    ...backend,
    commit: (changes) => (left-- > 0 ? backend.commit(changes) : Promise.reject(new Error('stopped'))),
  }
}

describe('a restart in the middle', () => {
  const policies = ['Background', 'Foreground', 'Orphan'] as const
  for (const policy of policies) {
    test(`of ${policy.toLowerCase()} deletion, at any commit, is made up for`, async () => {
      for (let commits = 1; commits < 9; commits++) {
        const backend = createSimulatedBackend()
        const first = await openServerUnderTest({ backend })
        const world = await openWorld(first)
        const owner = await world.make('owner')
        const child = await world.make('child', [blocking(owner)])
        await world.make('grandchild', [blocking(child)])
        await first.close()

        const cut = await openServerUnderTest({ backend: stopAfter(backend, commits) })
        const deleted = await cut.api
          .delete(CONFIG_MAPS, { namespace: world.namespace, name: 'owner' }, { propagationPolicy: policy })
          .then(
            () => true,
            () => false,
          )
        await cut.settled()
        await cut.close()

        const last = await openServerUnderTest({ backend })
        await last.settled()
        const { items } = await last.api.list(CONFIG_MAPS, {
          namespace: world.namespace,
          fieldSelector: 'metadata.name!=kube-root-ca.crt',
        })
        const expected = !deleted
          ? ['child', 'grandchild', 'owner']
          : policy === 'Orphan'
            ? ['child', 'grandchild']
            : []
        deepEqual(
          items.map(({ metadata }) => metadata.name),
          expected,
          `after ${commits} commits`,
        )
        await last.close()
      }
    })
  }
})

test('a dependent that is given a living owner while it is being judged stays', async () => {
  const { make, remove, left, patchMeta, get } = await openWorld()
  const [owner, other] = [await make('owner'), await make('other')]
  await make('child', [ownedBy(owner)])
  // Both are decided in the same turn; the collector runs after it.
  await Promise.all([remove('owner'), patchMeta('child', { ownerReferences: [ownedBy(other)] })])
  deepEqual(await left(), ['child', 'other'])
  equal((await get('child')).metadata.ownerReferences?.[0]?.name, 'other')
  await rejects(get('owner'), isNotFound)
})
