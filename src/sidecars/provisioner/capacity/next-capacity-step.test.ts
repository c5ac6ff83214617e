import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import type { ObjectMeta, OwnerReference } from '../../../api/object.ts'
import { REASONS } from '../reasons.ts'
import { nextCapacityStep } from './next-capacity-step.ts'
import type { CapacityStep, CapacityView, Room } from './next-capacity-step.ts'

const GI = 2n ** 30n
const labels = { 'csi.storage.k8s.io/drivername': 'd' }
const owner: OwnerReference = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'driver', uid: 'o1', controller: true }
const pair = { className: 'fast', term: { zone: 'a' } }
const room: Room = { available: GI, largestVolume: undefined }

const object = (metadata: Partial<ObjectMeta> = {}, more: Partial<CSIStorageCapacity> = {}): CSIStorageCapacity => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIStorageCapacity',
  metadata: {
    namespace: 'ns',
    name: 'csisc-1',
    creationTimestamp: '2030-01-01T00:00:01Z',
    labels,
    ownerReferences: [owner],
    ...metadata,
  },
  nodeTopology: { matchLabels: { zone: 'a' } },
  storageClassName: 'fast',
  capacity: '1Gi',
  ...more,
})
type Held = Partial<NonNullable<CapacityView['held']>>
const ask = (seen: Partial<CapacityView['seen']>, held: Held = {}): CapacityStep =>
  nextCapacityStep({
    seen: { pair, objects: [], ...seen },
    held: { publisher: { namespace: 'ns', labels, owner }, room, askInMs: undefined, ...held },
  })
const updated = (step: CapacityStep): CSIStorageCapacity | undefined =>
  step.kind === 'update' ? step.object : undefined
const deleted = (step: CapacityStep): string | undefined =>
  step.kind === 'delete' ? step.object.metadata.name : undefined

test('before anything is published the driver is asked', () =>
  deepEqual(ask({}, { room: undefined }), { kind: 'ask', pair }))
test('the driver is asked again when it is time, and not before', () => {
  equal(ask({ objects: [object()] }, { askInMs: 0 }).kind, 'ask')
  deepEqual(ask({ objects: [object()] }, { askInMs: 20 }), {
    kind: 'wait',
    reason: REASONS.CapacityPublished,
    retryInMs: 20,
  })
})
test('a new object has name, labels, owner, nodes and numbers as others expect them', () => {
  deepEqual(ask({}, { room: { available: 3n * GI, largestVolume: GI } }), {
    kind: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { generateName: 'csisc-', namespace: 'ns', labels, ownerReferences: [owner] },
      nodeTopology: { matchLabels: { zone: 'a' } },
      storageClassName: 'fast',
      capacity: '3Gi',
      maximumVolumeSize: '1Gi',
    },
  })
})
test('no room is published too', () => {
  const step = ask({}, { room: { available: 0n, largestVolume: undefined } })
  equal(step.kind === 'create' && step.object.capacity, '0')
})
test('without topology an object selects every node', () => {
  const step = ask({ pair: { className: 'fast', term: {} } })
  deepEqual(step.kind === 'create' && step.object.nodeTopology, { matchLabels: {} })
})
test('an object that tells the truth is left alone, however it is written', () => {
  equal(ask({ objects: [object({}, { capacity: '1024Mi' })] }).kind, 'wait')
})
test('another number is written, and one that the driver no longer says is taken out', () => {
  const step = ask({ objects: [object({ resourceVersion: '7' }, { capacity: '2Gi', maximumVolumeSize: '1Gi' })] })
  deepEqual(updated(step), object({ resourceVersion: '7' }))
})
test('a missing owner is added, beside owners that do not manage it', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c1' }
  const earlier = { ...owner, name: 'old', uid: 'o0' }
  deepEqual(updated(ask({ objects: [object({ ownerReferences: [other, earlier] })] }))?.metadata.ownerReferences, [
    other,
    owner,
  ])
})
test('nobody is made owner when nobody is to be', () => {
  const { ownerReferences: _, ...metadata } = object().metadata
  equal(
    ask({ objects: [{ ...object(), metadata }] }, { publisher: { namespace: 'ns', labels, owner: undefined } }).kind,
    'wait',
  )
})
test('of several the oldest stays, by whatever order they are listed', () => {
  const twins = [object({ name: 'csisc-3' }), object({ name: 'csisc-2', creationTimestamp: '2030-01-01T00:00:00Z' })]
  equal(deleted(ask({ objects: twins })), 'csisc-3')
  equal(deleted(ask({ objects: twins.toReversed() })), 'csisc-3')
})
test('what no class and segment are for is deleted, the last one too', () => {
  equal(deleted(ask({ pair: undefined, objects: [object()] })), 'csisc-1')
  equal(ask({ pair: undefined }).kind, 'wait')
})
test('what somebody else deletes is replaced', () => {
  equal(ask({ objects: [object({ deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x'] })] }).kind, 'create')
  equal(ask({ pair: undefined, objects: [object({ deletionTimestamp: '2030-01-01T00:00:00Z' })] }).kind, 'wait')
})
test('asked from outside it says what it sees', () => {
  deepEqual(nextCapacityStep({ seen: { pair, objects: [object()] } }), {
    kind: 'wait',
    reason: REASONS.CapacityPublished,
  })
  equal(nextCapacityStep({ seen: { pair, objects: [] } }).kind, 'wait')
})

const free = { namespace: 'ns', labels, owner: undefined }
const without = (item: CSIStorageCapacity): CSIStorageCapacity => {
  const { ownerReferences: _none, ...metadata } = item.metadata
  return { ...item, metadata }
}

test('what is deleted is told with the reason', () => {
  deepEqual(ask({ objects: [object(), object({ name: 'csisc-2' })] }), {
    kind: 'delete',
    object: object({ name: 'csisc-2' }),
    reason: REASONS.CapacityTwice,
  })
  deepEqual(ask({ pair: undefined, objects: [object()] }), {
    kind: 'delete',
    object: object(),
    reason: REASONS.CapacityObsolete,
  })
  deepEqual(nextCapacityStep({ seen: { pair: undefined, objects: [] } }), {
    kind: 'wait',
    reason: REASONS.CapacityNotWanted,
  })
})
test('of several with the same time the first name stays, by whatever order they are listed', () => {
  const [a, b, c] = [object({ name: 'a' }), object({ name: 'b' }), object({ name: 'c' })]
  for (const objects of [
    [a, b, c],
    [c, b, a],
    [b, c, a],
    [c, a, b],
  ])
    equal(deleted(ask({ objects })), 'b')
  const older = object({ name: 'z', creationTimestamp: '2030-01-01T00:00:00Z' })
  for (const objects of [
    [older, a],
    [a, older],
  ])
    equal(deleted(ask({ objects })), 'a')
})
test('one without a time counts as the oldest', () => {
  const { creationTimestamp: _none, ...metadata } = object({ name: 'z' }).metadata
  const timeless = { ...object(), metadata }
  for (const objects of [
    [timeless, object()],
    [object(), timeless],
  ])
    equal(deleted(ask({ objects })), 'csisc-1')
})
test('asked from outside, a pair without an object waits for the provisioner', () => {
  deepEqual(nextCapacityStep({ seen: { pair, objects: [] } }), {
    kind: 'wait',
    reason: REASONS.CapacityUnknown,
  })
})
test('the driver is asked to the millisecond, and never when nothing speaks for it', () => {
  equal(ask({ objects: [object()] }, { askInMs: 1 }).kind, 'wait')
  deepEqual(ask({ objects: [object()] }), { kind: 'wait', reason: REASONS.CapacityPublished })
})
test('an object without an owner has none', () => {
  const step = ask({}, { publisher: free })
  deepEqual(step.kind === 'create' && step.object.metadata, { generateName: 'csisc-', namespace: 'ns', labels })
  deepEqual(
    updated(ask({ objects: [without(object({}, { capacity: '2Gi' }))] }, { publisher: free })),
    without(object()),
  )
  deepEqual(updated(ask({ objects: [object({}, { capacity: '2Gi' })] }, { publisher: free })), object())
})
test('an owner that is there is not added twice, also beside others', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c1' }
  const owned = object({ ownerReferences: [other, owner] }, { capacity: '2Gi' })
  deepEqual(updated(ask({ objects: [owned] })), { ...owned, capacity: '1Gi' })
  equal(ask({ objects: [object({ ownerReferences: [other, owner] })] }).kind, 'wait')
  const first = object({ ownerReferences: [owner, other] }, { capacity: '2Gi' })
  deepEqual(updated(ask({ objects: [first] })), { ...first, capacity: '1Gi' })
  deepEqual(updated(ask({ objects: [without(object())] })), object())
})
test('each of the two numbers counts', () => {
  const both = { available: GI, largestVolume: GI }
  equal(ask({ objects: [object({}, { maximumVolumeSize: '1Gi' })] }, { room: both }).kind, 'wait')
  deepEqual(
    updated(ask({ objects: [object({}, { capacity: '2Gi', maximumVolumeSize: '1Gi' })] }, { room: both })),
    object({}, { maximumVolumeSize: '1Gi' }),
  )
  deepEqual(
    updated(ask({ objects: [object({}, { maximumVolumeSize: '2Gi' })] }, { room: both })),
    object({}, { maximumVolumeSize: '1Gi' }),
  )
  deepEqual(updated(ask({ objects: [object()] }, { room: both })), object({}, { maximumVolumeSize: '1Gi' }))
  deepEqual(updated(ask({ objects: [object({}, { maximumVolumeSize: '1Gi' })] })), object())
  const { capacity: _none, ...silent } = object()
  deepEqual(updated(ask({ objects: [silent] })), object())
})
