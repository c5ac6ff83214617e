import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { createObjectCache } from '../cache/object-cache.ts'
import type { CacheChange } from '../cache/object-cache.ts'
import { createOwnWrites } from './own-writes.ts'

const version = (resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'x', uid: 'u', resourceVersion },
})

function setUp() {
  const cache = createObjectCache<KubeObject>()
  const listeners: ((change: CacheChange<KubeObject>) => void)[] = []
  const tell = (change: CacheChange<KubeObject> | undefined): void => {
    if (change) for (const listener of listeners) listener(change)
  }
  const own = createOwnWrites({ get: cache.get, onChange: (listener) => (listeners.push(listener), () => {}) })
  tell(cache.put(version('9')))
  return {
    own,
    put: (object: KubeObject) => tell(cache.put(object)),
    remove: (object: KubeObject) => tell(cache.remove(object)),
    seen: () => own.get('x')?.metadata.resourceVersion,
  }
}

describe('our own writes', () => {
  test('are seen before the cache has them', () => {
    const { own, seen } = setUp()
    own.remember(version('10'))
    equal(seen(), '10')
  })
  test('give way to what is newer', () => {
    const { own, put, seen } = setUp()
    own.remember(version('10'))
    put(version('11'))
    equal(seen(), '11')
  })
  test('stay over what is older and comes late', () => {
    const { own, put, seen } = setUp()
    own.remember(version('12'))
    put(version('11'))
    equal(seen(), '12')
  })
  test('do not bring back what is gone', () => {
    const { own, remove, seen } = setUp()
    own.remember(version('10'))
    remove(version('11'))
    equal(seen(), undefined)
    own.remember(version('10'))
    equal(seen(), undefined)
  })
  test('do not go back in time when answers cross', () => {
    const { own, seen } = setUp()
    own.remember(version('12'))
    own.remember(version('11'))
    equal(seen(), '12')
  })
  test('show that the last finalizer is off, though the answer has the version from before', () => {
    const { own, put, remove, seen } = setUp()
    const leaving = (resourceVersion: string, finalizers: readonly string[]): KubeObject => ({
      ...version(resourceVersion),
      metadata: {
        name: 'x',
        uid: 'u',
        resourceVersion,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 0,
        finalizers,
      },
    })
    own.remember(leaving('10', ['a']))
    own.remember(leaving('10', []))
    equal(own.get('x')?.metadata.finalizers?.length, 0)
    put(leaving('10', ['a']))
    equal(own.get('x')?.metadata.finalizers?.length, 0, 'what the cache tells late is what it was before')
    remove(leaving('11', []))
    equal(seen(), undefined)
  })
  test('give way to the next of the name', () => {
    const { own, put, seen } = setUp()
    own.remember({ ...version('9'), metadata: { ...version('9').metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
    put({ ...version('12'), metadata: { name: 'x', uid: 'next', resourceVersion: '12' } })
    equal(seen(), '12')
    equal(own.get('x')?.metadata.uid, 'next')
  })
  test('are what an index finds, instead of an older state of the same object', () => {
    const { own } = setUp()
    const other = { ...version('8'), metadata: { name: 'y', uid: 'v', resourceVersion: '8' } }
    const former = { ...version('3'), metadata: { name: 'x', uid: 'former', resourceVersion: '3' } }
    const found = [version('9'), other, former, version('11')]
    equal(own.newestOf(found), found)
    own.remember(version('10'))
    deepEqual(own.newestOf(found), [version('10'), other, former, version('11')])
  })
})
