import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { createSimulatedClock } from '../../../base/simulated-clock.ts'
import { followKind } from '../../../kube/controller/follow-kind.ts'
import { createObjectCache } from '../../../kube/cache/object-cache.ts'
import type { CacheChange } from '../../../kube/cache/object-cache.ts'
import { pairKeyOfObject } from './capacity-pair.ts'
import { createPublishedObjects } from './published-objects.ts'

const object = (name: string, resourceVersion: string, capacity = '1Gi'): CSIStorageCapacity => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIStorageCapacity',
  metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion },
  nodeTopology: { matchLabels: { zone: 'a' } },
  storageClassName: 'fast',
  capacity,
})
const KEY = pairKeyOfObject(object('a', '1'))

/** A cache that shows things when the test says so. */
function open() {
  const clock = createSimulatedClock()
  const cache = createObjectCache<CSIStorageCapacity>()
  const listeners = new Set<(change: CacheChange<CSIStorageCapacity>) => void>()
  const tell = (change: CacheChange<CSIStorageCapacity> | undefined): void => {
    if (change) for (const listener of listeners) listener(change)
  }
  const onChange = (listener: (change: CacheChange<CSIStorageCapacity>) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const objects = createPublishedObjects(
    followKind({
      ...cache,
      onChange,
      synced: () => Promise.resolve(),
      isSynced: () => true,
      lastError: () => undefined,
    }),
    clock,
  )
  return {
    clock,
    objects,
    show: (shown: CSIStorageCapacity) => tell(cache.put(shown)),
    hide: (hidden: CSIStorageCapacity) => tell(cache.remove(hidden)),
    seen: () => objects.of(KEY),
  }
}

test('what was created is there before the cache shows it, and once afterwards', () => {
  const { objects, show, seen } = open()
  objects.created(object('a', '5'))
  deepEqual(seen(), [object('a', '5')])
  objects.updated(object('a', '6', '2Gi'))
  deepEqual(seen(), [object('a', '6', '2Gi')])
  show(object('a', '5'))
  show(object('a', '6', '2Gi'))
  deepEqual(seen(), [object('a', '6', '2Gi')])
})
test('an answer that comes after the cache showed it changes nothing', () => {
  const { objects, show, hide, seen } = open()
  show(object('a', '5'))
  objects.created(object('a', '5'))
  deepEqual(seen(), [object('a', '5')])
  hide(object('a', '7'))
  deepEqual(seen(), [])
})
test('what the cache does not show after a minute was deleted by somebody', async () => {
  const { clock, objects, seen } = open()
  objects.created(object('a', '5'))
  await clock.advance(60_000)
  deepEqual(seen(), [])
})
test('what was updated is seen at once', () => {
  const { objects, show, seen } = open()
  show(object('a', '5'))
  objects.updated(object('a', '6', '2Gi'))
  deepEqual(seen(), [object('a', '6', '2Gi')])
})
test('what was deleted is gone at once, whether the cache had it or not', () => {
  const { objects, show, hide, seen } = open()
  show(object('a', '5'))
  objects.deleted(object('a', '5'))
  objects.created(object('b', '6'))
  objects.deleted(object('b', '6'))
  deepEqual(seen(), [])
  hide(object('a', '7'))
  show(object('a', '8'))
  deepEqual(seen(), [object('a', '8')])
})
