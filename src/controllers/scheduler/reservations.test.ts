import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { podOf, volumeOf } from '../../testing/objects.ts'
import { createReservations } from './reservations.ts'
import { lateClaim } from './testing/describe-scheduler.ts'

const claim = lateClaim('c1')
const [first, second] = [volumeOf({ name: 'v1' }), volumeOf({ name: 'v2' })]
const pod = podOf('p1', { claims: ['c1'] })

test('a volume that a claim no longer gets is free again', () => {
  const reservations = createReservations(() => {})
  reservations.keep(pod, { node: 'n1', matches: [{ claim, volume: first }] }, 0)
  reservations.keep(pod, { node: 'n1', matches: [{ claim, volume: second }] }, 0)
  deepEqual([reservations.keeperOf('v1'), reservations.keeperOf('v2')], [undefined, 'default/c1'])
  reservations.release('default/p1')
  deepEqual([reservations.keeperOf('v2'), reservations.choiceFor('default/c1')], [undefined, undefined])
})

test('a new pod of the same name has nothing of the old one', () => {
  const reservations = createReservations(() => {})
  reservations.keep(pod, { node: 'n1', matches: [{ claim, volume: first }] }, 0)
  const again = { ...pod, metadata: { ...pod.metadata, uid: 'another' } }
  equal(reservations.find(again), undefined)
  reservations.keep(again, { node: 'n2' }, 0)
  deepEqual(
    [reservations.on('n1'), reservations.on('n2'), reservations.keeperOf('v1')],
    [[], ['default/p1'], undefined],
  )
})

test('two pods with one claim agree about it until the last of them is released', () => {
  const reservations = createReservations(() => {})
  for (const name of ['p1', 'p2'])
    reservations.keep(podOf(name, { claims: ['c1'] }), { node: 'n1', select: [claim] }, 0)
  reservations.release('default/p1')
  equal(reservations.choiceFor('default/c1')?.node, 'n1')
  reservations.release('default/p2')
  equal(reservations.choiceFor('default/c1'), undefined)
})
