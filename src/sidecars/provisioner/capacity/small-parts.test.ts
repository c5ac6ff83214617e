import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { CSIStorageCapacity } from '../../../api/kinds/csi-storage-capacity.ts'
import { DRIVER, testCsiNode, testNode, testVolume } from '../testing/objects.ts'
import { findSegment, findVolumePlaces, termKeyOf } from '../topology.ts'
import { createSegmentMap, pairKeyOf, pairKeyOfObject, parsePairKey } from './capacity-pair.ts'

const zone = (value: string) => ({ zone: value })
const object = (given: Partial<CSIStorageCapacity>): CSIStorageCapacity => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIStorageCapacity',
  metadata: { name: 'csisc-1' },
  storageClassName: 'fast',
  ...given,
})

test('S3-52, H55: a segment is that of a node with the driver and all of its labels, sorted', () => {
  const node = testNode('n1', { zone: 'a', rack: '1', other: 'x' })
  deepEqual(findSegment(DRIVER, testCsiNode('n1', ['zone', 'rack']), node), { rack: '1', zone: 'a' })
  equal(findSegment(DRIVER, testCsiNode('n1', ['zone', 'row']), node), undefined)
  equal(findSegment(DRIVER, testCsiNode('n1', ['zone'], 'other.example.com'), node), undefined)
  equal(findSegment(DRIVER, undefined, node), undefined)
  equal(findSegment(DRIVER, testCsiNode('n1', ['zone']), undefined), undefined)
})
test('a driver without keys has one segment for all nodes', () => {
  deepEqual(findSegment(DRIVER, testCsiNode('n1', null), testNode('n1', {})), {})
  deepEqual(findSegment(DRIVER, testCsiNode('n1', []), testNode('n1', { a: 'b' })), {})
})
test('a segment comes with its first node and goes with its last', () => {
  const segments = createSegmentMap()
  const [a, b] = [termKeyOf(zone('a')), termKeyOf(zone('b'))]
  deepEqual(segments.place('n1', zone('a')), [a])
  deepEqual(segments.place('n2', zone('a')), [])
  deepEqual(segments.place('n2', zone('a')), [])
  deepEqual(segments.place('n1', zone('b')), [b])
  deepEqual(segments.place('n2', undefined), [a])
  deepEqual(segments.place('n2', undefined), [])
  deepEqual([...segments.keys()], [b])
  deepEqual(segments.find(b), zone('b'))
})
test('objects and pairs with the same class and labels have the same key, in any order', () => {
  const term = { rack: '1', zone: 'a' }
  const key = pairKeyOf('fast', termKeyOf(term))
  equal(pairKeyOfObject(object({ nodeTopology: { matchLabels: { zone: 'a', rack: '1' } } })), key)
  deepEqual(parsePairKey(key), { className: 'fast', segmentKey: termKeyOf(term) })
  equal(pairKeyOfObject(object({ nodeTopology: {} })), pairKeyOf('fast', termKeyOf({})))
})
test('an object that selects no node, or in another way, has a key of its own', () => {
  const strange = object({ nodeTopology: { matchLabels: {}, matchExpressions: [{ key: 'zone', operator: 'Exists' }] } })
  for (const each of [strange, object({})]) equal(pairKeyOfObject(each), 'fast object csisc-1')
})
test('the places of a volume are all values of its terms', () => {
  const volume = (operator: 'In' | 'Exists', values?: string[]) =>
    testVolume({
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator, ...(values ? { values } : {}) }] }],
        },
      },
    })
  deepEqual(findVolumePlaces(volume('In', ['a', 'b'])), [zone('a'), zone('b')])
  equal(findVolumePlaces(volume('Exists')), undefined)
  equal(findVolumePlaces(testVolume()), undefined)
})
