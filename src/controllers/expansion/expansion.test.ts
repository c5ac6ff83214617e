import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { EVENTS } from '../../api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { claimOf, classOf, createBoundPair, volumeOf } from '../../testing/objects.ts'
import { startControllersUnderTest } from '../testing/describe-controller.ts'
import { nextExpansionStep } from './next-expansion-step.ts'
import { startExpansion } from './start-expansion.ts'

const bound = (size: string, capacity: string) =>
  claimOf({ size, spec: { volumeName: 'v1' }, status: { phase: 'Bound', capacity: { storage: capacity } } })

test('a claim that asks for more than it has waits for the resizer of its driver', () => {
  equal(nextExpansionStep({ seen: { claim: bound('1Gi', '1Gi') } }).kind, 'wait')
  equal(nextExpansionStep({ seen: { claim: bound('1Gi', '2Gi') } }).kind, 'wait')
  equal(nextExpansionStep({ seen: { claim: claimOf({ size: '2Gi' }) } }).kind, 'wait')
  const step = nextExpansionStep({ seen: { claim: bound('2Gi', '1Gi'), volume: volumeOf() } })
  equal(step.kind, 'hand-over')
  deepEqual(step.reason.waitsFor, { kind: 'actor', name: 'the resizer of test.holdfast.dev' })
})

test('it is said once for each size, and nothing is written', async (context) => {
  const { api, settled, writes, advance } = await startControllersUnderTest(context, [
    (world, signal) => startExpansion({}, world, signal),
  ])
  const ref = { namespace: 'default', name: 'c1' }
  await api.create(STORAGE_CLASSES, classOf({ allowVolumeExpansion: true }))
  await createBoundPair(api, { claim: claimOf({ className: 'fast' }), volume: volumeOf() })
  const patch = (value: object) => api.patch(PERSISTENT_VOLUME_CLAIMS, ref, { type: 'merge', value })
  await settled()
  equal((await api.list(EVENTS)).items.length, 0)
  await patch({ spec: { resources: { requests: { storage: '2Gi' } } } })
  await settled()
  await patch({ metadata: { labels: { a: 'b' } } })
  await advance(600_000)
  const [event, ...more] = (await api.list(EVENTS)).items
  deepEqual([event?.reason, event?.count, more.length], ['ExternalExpanding', 1, 0])
  match(event?.message ?? '', /the resizer of test.holdfast.dev/)
  await patch({ spec: { resources: { requests: { storage: '3Gi' } } } })
  await settled()
  equal((await api.list(EVENTS)).items.length, 2)
  deepEqual(writes, [])
})
