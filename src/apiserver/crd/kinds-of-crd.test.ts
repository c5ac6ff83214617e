import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gadgetCrd, versionOf } from './testing/crd-under-test.ts'
import { kindsOfCrd } from './kinds-of-crd.ts'

const NOW_MS = Date.UTC(2030, 0, 1, 0, 5)
const columns = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
  { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'All', type: 'string', jsonPath: '.spec' },
]
const kindOf = (more: Parameters<typeof versionOf>[1]) => {
  const [kind] = kindsOfCrd(gadgetCrd({ versions: [versionOf({}, more)] }))
  if (!kind) throw new Error('no kind')
  return kind
}
const object = {
  metadata: { name: 'g', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { size: 3 },
  status: {
    conditions: [
      { type: 'Other', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
}

describe('printer columns', () => {
  test('follow the name, in order, with what their paths lead to', () => {
    const kind = kindOf({ additionalPrinterColumns: columns })
    deepEqual(
      kind.columns.map(({ name, type, priority = 0 }) => [name, type, priority]),
      [
        ['Name', 'string', 0],
        ['Size', 'integer', 0],
        ['Ready', 'string', 1],
        ['Since', 'string', 0],
        ['All', 'string', 0],
      ],
    )
    deepEqual(
      kind.columns.map(({ cell }) => cell(object, NOW_MS)),
      ['g', 3, 'True', '5m', '{"size":3}'],
    )
  })

  test('are empty where the path leads nowhere', () => {
    const kind = kindOf({ additionalPrinterColumns: columns })
    deepEqual(
      kind.columns.map(({ cell }) => cell({ metadata: { name: 'g' } }, NOW_MS)),
      ['g', undefined, undefined, '<unknown>', undefined],
    )
  })

  test('are name and age when none are given', () => {
    deepEqual(
      kindOf({}).columns.map(({ name, cell }) => [name, cell(object, NOW_MS)]),
      [
        ['Name', 'g'],
        ['Age', '5m'],
      ],
    )
  })
})

describe('kinds of a definition', () => {
  test('are one for each version that is served, with one storage', () => {
    const versions = [
      versionOf(),
      versionOf({}, { name: 'v2', storage: false }),
      versionOf({}, { name: 'v3', storage: false, served: false }),
    ]
    const kinds = kindsOfCrd(gadgetCrd({ versions }))
    deepEqual(
      kinds.map(({ type, storage, storedApiVersion }) => [type.version, storage, storedApiVersion]),
      [
        ['v1', 'example.com/gadgets', 'example.com/v1'],
        ['v2', 'example.com/gadgets', 'example.com/v1'],
      ],
    )
  })

  test('have the sub-resources that the version declares', () => {
    deepEqual(Object.keys(kindOf({}).subresources), [])
    const scale = {
      specReplicasPath: '.spec.count',
      statusReplicasPath: '.status.count',
      labelSelectorPath: '.status.selector',
    }
    const kind = kindOf({ subresources: { status: {}, scale } })
    deepEqual(Object.keys(kind.subresources), ['status', 'scale'])
    deepEqual(kind.scalePaths, {
      specReplicas: ['spec', 'count'],
      statusReplicas: ['status', 'count'],
      selector: ['status', 'selector'],
    })
    equal(kind.hasStatus, true)
  })

  test('fill in defaults on reading only where something may be without them', () => {
    const filled = { size: { type: 'integer', default: 1 } }
    const once = kindsOfCrd({
      ...gadgetCrd({ versions: [versionOf(filled)] }),
      metadata: { name: 'gadgets.example.com', generation: 1 },
    })
    const changed = kindsOfCrd({
      ...gadgetCrd({ versions: [versionOf(filled)] }),
      metadata: { name: 'gadgets.example.com', generation: 2 },
    })
    deepEqual([once[0]?.fromStored, typeof changed[0]?.fromStored], [undefined, 'function'])
  })
})
