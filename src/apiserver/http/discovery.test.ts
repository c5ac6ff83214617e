import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDoorUnderTest, kindUnderTest } from './testing/door-under-test.ts'
import { createDiscovery } from './discovery.ts'

const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const V2BETA1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'

function open() {
  const { kinds } = createDoorUnderTest()
  const discovery = createDiscovery(kinds, () => '127.0.0.1:6443')
  const read = (path: string, accept?: string): Record<string, unknown> => {
    const document = discovery.find(path.split('/').slice(1), accept)
    assert.ok(document, path)
    return JSON.parse(String(document.body)) as Record<string, unknown>
  }
  return { kinds, discovery, read }
}

test('lists the versions of the core group', () => {
  assert.deepEqual(open().read('/api'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
  })
})

test('lists groups in order, with the preferred version first', () => {
  const { groups } = open().read('/apis') as {
    groups: { name: string; versions: { version: string }[]; preferredVersion: object }[]
  }
  assert.deepEqual(
    groups.map(({ name }) => name),
    ['storage.k8s.io', 'example.com'],
  )
  assert.deepEqual(
    groups[1]?.versions.map(({ version }) => version),
    ['v1', 'v1beta1'],
  )
  assert.deepEqual(groups[1]?.preferredVersion, { groupVersion: 'example.com/v1', version: 'v1' })
  assert.equal(open().read('/apis/example.com')['kind'], 'APIGroup')
})

test('lists resources by name, each followed by what is below it', () => {
  const { resources, groupVersion } = open().read('/api/v1') as {
    groupVersion: string
    resources: Record<string, unknown>[]
  }
  assert.equal(groupVersion, 'v1')
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['configmaps', 'namespaces', 'namespaces/status', 'pods', 'pods/eviction', 'pods/status'],
  )
  assert.deepEqual(resources[0], {
    name: 'configmaps',
    singularName: 'configmap',
    namespaced: true,
    kind: 'ConfigMap',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['cm'],
  })
  assert.deepEqual(resources[4], {
    name: 'pods/eviction',
    singularName: '',
    namespaced: true,
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  })
})

test('has nothing for a group or version that is not served', () => {
  const { discovery } = open()
  for (const path of ['apis/snapshot.storage.k8s.io/v1', 'apis/storage.k8s.io/v9', 'api/v2', 'apis/nothing']) {
    assert.equal(discovery.find(path.split('/'), undefined), undefined, path)
  }
})

test('gives everything at once to those who ask for version 2', () => {
  const { discovery, read } = open()
  const { items, ...head } = read('/api', `${V2},${V2BETA1},application/json`) as {
    items: {
      metadata: object
      versions: { version: string; freshness: string; resources: Record<string, unknown>[] }[]
    }[]
  }
  assert.deepEqual(head, { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {} })
  assert.deepEqual(items[0]?.metadata, {})
  const pods = items[0]?.versions[0]?.resources.find(({ resource }) => resource === 'pods')
  assert.deepEqual(pods, {
    resource: 'pods',
    responseKind: { group: '', version: 'v1', kind: 'Pod' },
    scope: 'Namespaced',
    singularResource: 'pod',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['po'],
    categories: ['all'],
    subresources: [
      {
        subresource: 'eviction',
        responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        verbs: ['create'],
      },
      {
        subresource: 'status',
        responseKind: { group: '', version: 'v1', kind: 'Pod' },
        verbs: ['get', 'patch', 'update'],
      },
    ],
  })
  assert.equal(items[0]?.versions[0]?.freshness, 'Current')
  assert.equal(discovery.find(['apis'], V2)?.contentType, V2)
})

test('answers an older aggregated version with the plain lists', () => {
  const { discovery, read } = open()
  for (const accept of [`${V2BETA1},application/json`, V2BETA1, 'application/json', '*/*']) {
    assert.equal(read('/apis', accept)['kind'], 'APIGroupList', accept)
    assert.equal(discovery.find(['apis'], accept)?.contentType, 'application/json')
  }
})

test('never aggregates below a group', () => {
  assert.equal(open().read('/apis/storage.k8s.io/v1', V2)['kind'], 'APIResourceList')
})

test('shows a new kind at once, under a new hash', () => {
  const { kinds, discovery, read } = open()
  const before = discovery.find(['apis'], undefined)
  assert.equal(discovery.find(['apis'], undefined), before)
  kinds.add(kindUnderTest({ group: 'new.example.com', version: 'v1', kind: 'New', plural: 'news', namespaced: false }))
  assert.notEqual(discovery.find(['apis'], undefined)?.hash, before?.hash)
  assert.equal(read('/apis/new.example.com/v1')['groupVersion'], 'new.example.com/v1')
})
