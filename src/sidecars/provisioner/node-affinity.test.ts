import fc from 'fast-check'
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { matchesNodeSelector } from '../../api/node-selector.ts'
import { testNode } from './testing/objects.ts'
import { findNodeAffinity } from './topology.ts'

const place = (zone: string, rack: string) => ({ segments: { 'example.com/zone': zone, 'example.com/rack': rack } })
const term = (zone: string, rack: string) => ({
  matchExpressions: [
    { key: 'example.com/rack', operator: 'In', values: [rack] },
    { key: 'example.com/zone', operator: 'In', values: [zone] },
  ],
})

test('S3-156 S3-157: three places are three terms of two expressions with one value each', () => {
  deepEqual(findNodeAffinity([place('a', '1'), place('b', '1'), place('b', '2')]), {
    required: { nodeSelectorTerms: [term('a', '1'), term('b', '1'), term('b', '2')] },
  })
})
test('a volume that is everywhere has no affinity', () => equal(findNodeAffinity([]), undefined))
test('places without segments say nothing', () => {
  equal(findNodeAffinity([{ segments: {} }]), undefined)
  deepEqual(findNodeAffinity([{ segments: {} }, place('a', '1')]), {
    required: { nodeSelectorTerms: [term('a', '1')] },
  })
})
test('S3-62: a node fits just when its labels are one of the places', () => {
  const letters = fc.constantFrom('a', 'b', 'c')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(letters, letters), { minLength: 1, maxLength: 4 }),
      letters,
      letters,
      (places, zone, rack) => {
        const affinity = findNodeAffinity(places.map(([z, r]) => place(z, r)))
        const node = testNode('n', place(zone, rack).segments)
        equal(
          affinity && matchesNodeSelector(affinity.required, node),
          places.some(([z, r]) => z === zone && r === rack),
        )
      },
    ),
  )
})
