import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConfigMap } from '../../api/kinds/config-map.ts'
import { createObjectCache } from './object-cache.ts'

const configMap = (name: string, resourceVersion: string, { uid = `uid-${name}`, owner = '' } = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, uid, resourceVersion },
  data: { owner },
})
const byOwner = ({ data }: ConfigMap): string[] => (data?.['owner'] ?? '').split(',').filter((owner) => owner !== '')
const names = (objects: Iterable<ConfigMap>): string[] =>
  Array.from(objects, ({ metadata }) => metadata.name ?? '').sort()

describe('the object cache', () => {
  it('ignores a version that it has, and one that is older', () => {
    const cache = createObjectCache<ConfigMap>()
    cache.put(configMap('a', '9'))
    assert.equal(cache.put(configMap('a', '9')), undefined)
    assert.equal(cache.put(configMap('a', '8')), undefined)
    assert.equal(cache.put(configMap('a', '10'))?.before?.metadata.resourceVersion, '9')
    assert.equal(cache.put(configMap('a', '9')), undefined)
    assert.equal(cache.get('default/a')?.metadata.resourceVersion, '10')
  })

  it('takes a new object of the same name, and ignores the old one that comes late', () => {
    const cache = createObjectCache<ConfigMap>()
    cache.put(configMap('a', '5', { uid: 'old' }))
    cache.put(configMap('a', '7', { uid: 'new' }))
    assert.equal(cache.put(configMap('a', '6', { uid: 'old' })), undefined)
    assert.equal(cache.remove(configMap('a', '6', { uid: 'old' })), undefined)
    assert.equal(cache.get('default/a')?.metadata.uid, 'new')
  })

  it('removes an object once', () => {
    const cache = createObjectCache<ConfigMap>()
    cache.put(configMap('a', '5'))
    const change = cache.remove(configMap('a', '6'))
    assert.deepEqual(
      [change?.key, change?.before?.metadata.resourceVersion, change?.after],
      ['default/a', '5', undefined],
    )
    assert.equal(cache.remove(configMap('a', '6')), undefined)
    assert.equal(cache.size(), 0)
  })

  it('reports only what differs when everything is replaced, even by older versions', () => {
    const cache = createObjectCache<ConfigMap>()
    for (const name of ['same', 'changed', 'gone', 'older']) cache.put(configMap(name, '50'))
    const changes = cache.replace([
      configMap('same', '50'),
      configMap('changed', '60'),
      configMap('older', '40'),
      configMap('new', '70'),
    ])
    const seen = changes.map(({ key, before, after }) => [
      key,
      before?.metadata.resourceVersion,
      after?.metadata.resourceVersion,
    ])
    assert.deepEqual(seen, [
      ['default/changed', '50', '60'],
      ['default/older', '50', '40'],
      ['default/new', undefined, '70'],
      ['default/gone', '50', undefined],
    ])
    assert.deepEqual(names(cache.all()), ['changed', 'new', 'older', 'same'])
  })

  it('finds objects by what an index says of them, as they change', () => {
    const cache = createObjectCache<ConfigMap>()
    cache.put(configMap('early', '1', { owner: 'x' }))
    cache.addIndex('owner', byOwner)
    cache.put(configMap('a', '2', { owner: 'x,y' }))
    assert.deepEqual(names(cache.byIndex('owner', 'x')), ['a', 'early'])
    assert.deepEqual(names(cache.byIndex('owner', 'y')), ['a'])
    cache.put(configMap('a', '3', { owner: 'y' }))
    assert.deepEqual(names(cache.byIndex('owner', 'x')), ['early'])
    cache.remove(configMap('a', '4'))
    assert.deepEqual(cache.byIndex('owner', 'y'), [])
    cache.replace([])
    assert.deepEqual(cache.byIndex('owner', 'x'), [])
    assert.throws(() => cache.byIndex('node', 'n1'), /no index node/)
  })

  it('asks a function that is an index once, however many look something up in it', () => {
    const cache = createObjectCache<ConfigMap>()
    let asked = 0
    const counted = (object: ConfigMap): readonly string[] => {
      asked++
      return byOwner(object)
    }
    const [first, second] = [cache.indexBy(counted), cache.indexBy(counted)]
    cache.put(configMap('a', '1', { owner: 'x' }))
    assert.equal(asked, 1)
    assert.deepEqual([...names(first('x')), ...names(second('x'))], ['a', 'a'])
  })
})
