import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { claimOf, volumeOf } from '../../testing/objects.ts'
import { createVolumeOffers, createWaitingClaims } from './binder-state.ts'

test('a volume is offered to the largest claim that it can hold', () => {
  const waiting = createWaitingClaims()
  for (const [name, size] of [
    ['a', '1Gi'],
    ['b', '3Gi'],
    ['c', '2Gi'],
    ['d', '9Gi'],
  ] as const)
    waiting.put(claimOf({ name, size }))
  const find = (volume: PersistentVolume): string | undefined => waiting.findFor(volume)?.metadata.name
  equal(find(volumeOf({ size: '4Gi' })), 'b')
  equal(find(volumeOf({ size: '2Gi' })), 'c')
  equal(find(volumeOf({ size: '1Mi' })), undefined)
  equal(find(volumeOf({ size: '4Gi', spec: { storageClassName: 'fast' } })), undefined)
  waiting.remove('default/b')
  waiting.put(claimOf({ name: 'c', size: '8Gi' }))
  equal(find(volumeOf({ size: '4Gi' })), 'a')
})

test('a claim whose selector makes no sense is passed over', () => {
  const waiting = createWaitingClaims()
  waiting.put(
    claimOf({
      name: 'a',
      size: '2Gi',
      spec: { storageClassName: '', selector: { matchExpressions: [{ key: 'k', operator: 'In', values: [] }] } },
    }),
  )
  waiting.put(claimOf({ name: 'b' }))
  equal(waiting.findFor(volumeOf({ size: '3Gi' }))?.metadata.name, 'b')
})

test('each volume goes to a claim of its own, and what a claim leaves goes to the next', () => {
  const free = new Map(['v1', 'v2', 'v3'].map((name) => [name, volumeOf({ name })]))
  const enqueued: string[] = []
  const offers = createVolumeOffers({ findFree: (name) => free.get(name), enqueue: (key) => void enqueued.push(key) })
  for (const name of ['a', 'b', 'c']) offers.note(`default/${name}`, claimOf({ name }))
  offers.offer('v1')
  offers.offer('v2')
  deepEqual(enqueued.splice(0), ['default/c', 'default/b'])
  // It took another one.
  free.delete('v3')
  offers.note('default/c', undefined)
  offers.settle('default/c')
  deepEqual(enqueued.splice(0), ['default/a'])
  free.delete('v2')
  offers.note('default/b', undefined)
  offers.settle('default/b')
  // What the last one leaves too is not offered to it again: it had its choice.
  offers.settle('default/a')
  deepEqual(enqueued.splice(0), [])
  // But it goes on waiting.
  offers.offer('v1')
  deepEqual(enqueued, ['default/a'])
})
