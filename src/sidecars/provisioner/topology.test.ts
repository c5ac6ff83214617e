import fc from 'fast-check'
import { deepEqual, equal, ok as assertOk } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { TopologySelectorTerm } from '../../api/kinds/selectors.ts'
import type { TopologyRequirement } from '../../csi/generated/csi/v1/csi.ts'
import { SELECTED_NODE } from '../../storage/names.ts'
import { readClusterTopology } from './provision-view.ts'
import type { TopologySources } from './provision-view.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provisioner-options.ts'
import { REASONS } from './reasons.ts'
import { byName } from './testing/caches.ts'
import { DRIVER, testClaim, testClass, testCsiNode, testNode } from './testing/objects.ts'
import {
  accessibilityRequirements,
  flattenTopologies,
  fnv1,
  isPartOf,
  spreadIndex,
  spreadOf,
  uniqueTerms,
} from './topology.ts'
import type { ClusterTopology, TopologyQuestion } from './topology.ts'

const Z = 'com.example.csi/zone'
const R = 'com.example.csi/rack'
const D = 'com.example.csi/disk'
type Segments = Record<string, string>

// A1 is rack A in zone 1.
const at = (place: string): Segments => ({ [R]: `rack${place.charAt(0)}`, [Z]: `zone${place.slice(1)}` })
const allow = (...entries: Record<string, string[]>[]): TopologySelectorTerm[] =>
  entries.map((entry) => ({ matchLabelExpressions: Object.entries(entry).map(([key, values]) => ({ key, values })) }))

function clusterOf(nodes: readonly Node[], csiNodes: readonly CSINode[], onlyRegistered = true): ClusterTopology {
  return readClusterTopology({ ...sourcesOf(nodes, csiNodes), onlyRegistered })
}
const sourcesOf = (nodes: readonly Node[], csiNodes: readonly CSINode[]): TopologySources => ({
  driverName: DRIVER,
  nodes: byName(nodes),
  csiNodes: byName(csiNodes),
  onlyRegistered: true,
  below: () => 0,
})
const clusterAt = (places: Record<string, Segments>, keys: string[] = [Z, R]): ClusterTopology =>
  clusterOf(
    Object.entries(places).map(([name, labels]) => testNode(name, labels)),
    Object.keys(places).map((name) => testCsiNode(name, keys)),
  )

type Given = {
  claimName?: string
  selectedNode?: string
  cluster?: ClusterTopology
  allowedTopologies?: readonly TopologySelectorTerm[]
}
type TopologyOptions = TopologyQuestion['settings']
const question = (given: Given, options: Partial<TopologyOptions> = {}): TopologyQuestion => ({
  driverName: DRIVER,
  claim: testClaim(
    {},
    {
      name: given.claimName ?? 'claim',
      annotations: given.selectedNode ? { [SELECTED_NODE]: given.selectedNode } : {},
    },
  ),
  class: testClass(given.allowedTopologies ? { allowedTopologies: given.allowedTopologies } : {}),
  caches: { cluster: given.cluster ?? clusterAt({}) },
  settings: { ...DEFAULT_PROVISION_SETTINGS, ...options },
})
const segmentsOf = (topologies: TopologyRequirement['requisite']): Segments[] =>
  topologies.map(({ segments }) => segments)
function answer(given: Given, options: Partial<TopologyOptions> = {}) {
  const decision = accessibilityRequirements(question(given, options))
  if (decision.kind !== 'ok') return decision.reason.code
  return (
    decision.value && {
      requisite: segmentsOf(decision.value.requisite),
      preferred: segmentsOf(decision.value.preferred),
    }
  )
}
const places = (...names: string[]): Segments[] => names.map(at)

describe('vectors', () => {
  const four = clusterAt({ n1: at('A1'), n2: at('B2'), n3: at('C3'), n4: at('D4') })
  const all = places('A1', 'B2', 'C3', 'D4')
  const named: [claimName: string, preferred: Segments[]][] = [
    ['testpvcA-testset-1', all],
    ['testpvcA-testset-2', places('B2', 'C3', 'D4', 'A1')],
    ['testpvc-testset-3', places('C3', 'D4', 'A1', 'B2')],
    ['testpvc-testset-4', places('D4', 'A1', 'B2', 'C3')],
    ['testpvcB-testset-1', all],
  ]
  for (const [claimName, preferred] of named) {
    test(`V1 S3-56 S3-48: ${claimName} without a node prefers by its name`, () =>
      deepEqual(answer({ claimName, cluster: four }), { requisite: all, preferred }))
  }
  test('V1e: nothing is asked for when topology is not wanted without a node', () => {
    equal(answer({ claimName: 'testpvcA-testset-1', cluster: four }, { immediateTopology: false }), undefined)
  })

  const three = clusterAt({ sel: at('A2'), n1: at('A1'), n2: at('B1') })
  const square = allow({ [Z]: ['zone1', 'zone2'], [R]: ['rackA', 'rackB'] })
  test('V2a S3-47 S3-54: the class says where, the node says where first', () => {
    deepEqual(answer({ selectedNode: 'sel', allowedTopologies: square, cluster: three }), {
      requisite: places('A1', 'A2', 'B1', 'B2'),
      preferred: places('A2', 'B1', 'B2', 'A1'),
    })
  })
  test('V2b: strict asks for the place of the node alone', () => {
    deepEqual(answer({ selectedNode: 'sel', allowedTopologies: square, cluster: three }, { strictTopology: true }), {
      requisite: places('A2'),
      preferred: places('A2'),
    })
  })
  test('V2c S3-48 S3-53: without allowed topologies the places of all nodes', () => {
    deepEqual(answer({ selectedNode: 'sel', cluster: three }), {
      requisite: places('A1', 'A2', 'B1'),
      preferred: places('A2', 'B1', 'A1'),
    })
  })

  const ssd = { [D]: 'ssd', [R]: 'rack1', [Z]: 'zone1' }
  const withDisk = clusterAt({ sel: ssd }, [Z, R, D])
  const fewer = [{ [D]: 'ssd', [Z]: 'zone1' }]
  test('V3a: allowed topologies may have fewer keys than the node', () => {
    deepEqual(
      answer({ selectedNode: 'sel', allowedTopologies: allow({ [D]: ['ssd'], [Z]: ['zone1'] }), cluster: withDisk }),
      { requisite: fewer, preferred: fewer },
    )
  })
  test('V3b: strict sends all keys of the node', () => {
    const asked = { selectedNode: 'sel', allowedTopologies: allow({ [D]: ['ssd'], [Z]: ['zone1'] }), cluster: withDisk }
    deepEqual(answer(asked, { strictTopology: true }), { requisite: [ssd], preferred: [ssd] })
  })
  for (const strict of [false, true]) {
    test(`V3c: a node outside of what is allowed is refused, strict ${strict}`, () => {
      const asked = {
        selectedNode: 'sel',
        allowedTopologies: allow({ [Z]: ['zone1'] }),
        cluster: clusterAt({ sel: { [Z]: 'zone10' } }, [Z]),
      }
      equal(answer(asked, { strictTopology: strict }), 'NodeNotInAllowedTopologies')
    })
  }
  test('V4: entries of different length, shorter ones first', () => {
    const zone1 = { [Z]: 'zone1' }
    const asked = {
      claimName: 'mypvc',
      allowedTopologies: allow({ [Z]: ['zone1'] }, { [Z]: ['zone1', 'zone2'], [R]: ['rackA', 'rackB'] }),
    }
    deepEqual(answer(asked), {
      requisite: [zone1, ...places('A1', 'A2', 'B1', 'B2')],
      preferred: [at('B2'), zone1, ...places('A1', 'A2', 'B1')],
    })
  })
  test('V5 S3-57: the hash of names', () => {
    deepEqual(
      ['data-web-0', 'data-web-1', 'data-web-2', 'data-web-3'].map((name) => spreadIndex(spreadOf(name), 3)),
      [0, 1, 2, 0],
    )
    equal(spreadOf('data-web-0').hash, 1181096325)
    deepEqual(spreadOf('web-007'), { hash: 1181096325, ordinal: 7 })
    deepEqual(spreadOf('data-web-4294967296'), { hash: 2450562679, ordinal: undefined })
    equal(spreadOf('data-web-4294967295').ordinal, 4294967295)
    deepEqual(spreadOf('testpvc'), { hash: 1684622678, ordinal: undefined })
    equal(spreadOf('mypvc').hash, 3965572304)
    equal(fnv1('testset'), 1633848515)
    equal(fnv1('foobar'), 0x31f0b262)
    equal(fnv1(''), 2166136261)
  })
  test('a name that does not end in a number is hashed as a whole', () => {
    for (const name of ['my-pvc', '12', 'data-1e3', 'data-0x1', 'data-'])
      deepEqual(spreadOf(name), { hash: fnv1(name), ordinal: undefined })
  })
  test('the sum of hash and ordinal wraps at 32 bits', () =>
    equal(spreadIndex({ hash: 4294967295, ordinal: 2 }, 10), 1))
})

describe('the selected node', () => {
  const cluster = clusterAt({ n1: at('A1') })
  test('S3-155: a CSINode that is gone sends the claim elsewhere', () => {
    deepEqual(accessibilityRequirements(question({ selectedNode: 'n9', cluster })), {
      kind: 'reschedule',
      reason: REASONS.SelectedNodeGone('n9', 'CSINode'),
    })
  })
  test('H56: so does a Node that is gone while its CSINode is still there', () => {
    const decision = accessibilityRequirements(
      question({ selectedNode: 'n1', cluster: clusterOf([], [testCsiNode('n1', [Z])]) }),
    )
    equal(decision.kind, 'reschedule')
  })
  for (const [what, keys] of [
    ['no entry of the driver', undefined],
    ['no keys', []],
    ['keys of null', null],
  ] as const) {
    test(`S3-155 S3-154: ${what} is told and tried again`, () => {
      const stale = clusterOf([testNode('n1', at('A1'))], [testCsiNode('n1', keys)])
      equal(accessibilityRequirements(question({ selectedNode: 'n1', cluster: stale })).kind, 'refuse')
    })
  }
  test('S3-155: a label that is not there yet is told and tried again', () => {
    const decision = accessibilityRequirements(
      question({
        selectedNode: 'n1',
        cluster: clusterOf([testNode('n1', { [Z]: 'zone1' })], [testCsiNode('n1', [Z, R])]),
      }),
    )
    deepEqual(decision.kind === 'refuse' && decision.reason, REASONS.TopologyLabelMissing('n1', [R]))
  })
  test('S3-155: a node without any labels is told and tried again', () => {
    const bare: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }
    equal(answer({ selectedNode: 'n1', cluster: clusterOf([bare], [testCsiNode('n1', [Z])]) }), 'TopologyLabelMissing')
  })
  test('S3-44: it is the authority for keys, and not the other nodes', () => {
    const mixed = clusterOf(
      [testNode('a', { ...at('A1'), [D]: 'ssd' }), testNode('b', at('B1'))],
      [testCsiNode('a', [D, Z]), testCsiNode('b', [Z])],
    )
    deepEqual(answer({ selectedNode: 'b', cluster: mixed }), {
      requisite: [{ [Z]: 'zone1' }],
      preferred: [{ [Z]: 'zone1' }],
    })
  })
})

describe('all nodes', () => {
  test('S3-51 S3-50: without a selected node one node decides the keys, picked at random', () => {
    const csiNodes = [
      testCsiNode('a', undefined),
      testCsiNode('b', ['x']),
      testCsiNode('c', []),
      testCsiNode('d', ['y']),
    ]
    deepEqual(readClusterTopology({ ...sourcesOf([], csiNodes), driverName: DRIVER, below: () => 0 }).pickKeys(), ['x'])
    deepEqual(
      readClusterTopology({ ...sourcesOf([], csiNodes), driverName: DRIVER, below: (bound) => bound - 1 }).pickKeys(),
      ['y'],
    )
    equal(
      readClusterTopology({ ...sourcesOf([], csiNodes), driverName: 'other', below: () => 0 }).pickKeys(),
      undefined,
    )
  })
  test('S3-52: nodes that lack a key are left out', () => {
    const cluster = clusterOf(
      [testNode('a', at('A1')), testNode('b', { [Z]: 'zone2' })],
      [testCsiNode('a', [Z, R]), testCsiNode('b', [Z, R])],
    )
    deepEqual(answer({ cluster }), { requisite: [at('A1')], preferred: [at('A1')] })
  })
  const nodes = [testNode('a', at('A1')), testNode('b', at('B2'))]
  const registeredOnA = [testCsiNode('a', [Z, R]), testCsiNode('b', undefined)]
  test('S3-52 H55: nodes without the driver are left out', () => {
    deepEqual(answer({ cluster: clusterOf(nodes, registeredOnA) }), {
      requisite: places('A1'),
      preferred: places('A1'),
    })
  })
  test('H55: unless the rule of the upstream provisioner is asked for', () => {
    const found = answer({ cluster: clusterOf(nodes, registeredOnA, false) })
    deepEqual(typeof found === 'object' && found.requisite, places('A1', 'B2'))
  })
  test('S3-146 S3-147: of several drivers on a node each has its own keys, and may share one', () => {
    const both: CSINode = {
      ...testCsiNode('a', undefined),
      spec: {
        drivers: [
          { name: 'other', nodeID: 'a', topologyKeys: [Z, R] },
          { name: DRIVER, nodeID: 'a', topologyKeys: [Z] },
        ],
      },
    }
    deepEqual(answer({ cluster: clusterOf([testNode('a', at('A1'))], [both]) }), {
      requisite: [{ [Z]: 'zone1' }],
      preferred: [{ [Z]: 'zone1' }],
    })
  })
  test('S3-152: while values change, old and new ones are asked for', () => {
    const found = answer({ cluster: clusterAt({ a: { [Z]: 'old-1' }, b: { [Z]: 'new-1' } }, [Z]) })
    deepEqual(typeof found === 'object' && found.requisite, [{ [Z]: 'new-1' }, { [Z]: 'old-1' }])
  })
  test('no node with the driver is told', () => equal(answer({ cluster: clusterAt({}) }), 'NoTopologyKeys'))
  test('no node with the labels is told', () => {
    equal(answer({ cluster: clusterOf([testNode('a', {})], [testCsiNode('a', [Z])]) }), 'NoNodeWithTopology')
  })
  test('nodes of one place count once', () => {
    const found = answer({ cluster: clusterAt({ a: at('A1'), b: at('A1'), c: at('A1') }) })
    deepEqual(typeof found === 'object' && found.requisite, places('A1'))
  })
  test('allowed topologies with nothing in them ask for nothing', () =>
    equal(answer({ allowedTopologies: [{}] }), undefined))
  test('S3-153: allowed topologies need no node', () => {
    const found = answer({ allowedTopologies: allow({ [Z]: ['zone9'] }) })
    deepEqual(typeof found === 'object' && found.requisite, [{ [Z]: 'zone9' }])
  })
})

describe('S3-46 S3-58 H54: preferred only for names with an ordinal, when that is asked', () => {
  const cluster = clusterAt({ a: at('A1'), b: at('B2') })
  test('a name without ordinal has none', () => {
    deepEqual(answer({ claimName: 'data', cluster }, { preferredTopology: 'ordinal' }), {
      requisite: places('A1', 'B2'),
      preferred: [],
    })
  })
  test('a name with ordinal is spread', () => {
    const found = answer({ claimName: 'data-web-1', cluster }, { preferredTopology: 'ordinal' })
    equal(typeof found === 'object' && found.preferred.length, 2)
  })
  test('a selected node is preferred as ever', () => {
    deepEqual(answer({ claimName: 'data', selectedNode: 'b', cluster }, { preferredTopology: 'ordinal' }), {
      requisite: places('A1', 'B2'),
      preferred: places('B2', 'A1'),
    })
  })
})

describe('properties', () => {
  const place = fc.record({
    [Z]: fc.constantFrom('zone1', 'zone2', 'zone3'),
    [R]: fc.constantFrom('rackA', 'rackB', 'rackC'),
  })
  const shuffled = <T>(items: T[]) =>
    fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length }))
  test('S3-55: the preferred order does not depend on the order of nodes', () => {
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 1, maxLength: 12 }).chain(shuffled),
        fc.boolean(),
        fc.stringMatching(/^[a-z]{1,5}(-[a-z]{1,5})?(-\d{1,3})?$/),
        (lists, selects, claimName) => {
          const [one, other] = lists.map((list) =>
            clusterAt(Object.fromEntries(list.map((labels) => [`${labels[Z]}-${labels[R]}`, labels]))),
          )
          assertOk(one && other)
          const first = lists[0][0] as Segments
          const selectedNode = selects ? `${first[Z]}-${first[R]}` : ''
          deepEqual(
            answer({ cluster: one, selectedNode, claimName }),
            answer({ cluster: other, selectedNode, claimName }),
          )
        },
      ),
    )
  })
  test('S3-53 S3-54: preferred is all of requisite, the selected node first', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), fc.nat(), (labels, pick) => {
        const cluster = clusterAt(Object.fromEntries(labels.map((segments, index) => [`n${index}`, segments])))
        const found = answer({ cluster, selectedNode: `n${pick % labels.length}` })
        assertOk(typeof found === 'object')
        deepEqual(found.preferred[0], { ...labels[pick % labels.length] })
        const text = (terms: Segments[]) => terms.map((segments) => `${segments[Z]} ${segments[R]}`).sort()
        deepEqual(text(found.preferred), text(found.requisite))
      }),
    )
  })
  test('S3-56: the volumes of a set are spread evenly', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,8}$/),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(1000),
        (set, count, replicas, start) => {
          const used = Array.from({ length: count }, () => 0)
          for (let ordinal = start; ordinal < start + replicas; ordinal++) {
            const index = spreadIndex(spreadOf(`data-${set}-${ordinal}`), count)
            used[index] = (used[index] ?? 0) + 1
          }
          // Unless the sum wraps on the way, which a hash near the top allows once.
          const wraps = fnv1(set) + start + replicas > 2 ** 32
          assertOk(Math.max(...used) - Math.min(...used) <= (wraps ? 2 : 1))
        },
      ),
    )
  })
  test('the claims of one pod lie together', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 9 }), (ordinal, count) =>
        equal(spreadIndex(spreadOf(`data-web-${ordinal}`), count), spreadIndex(spreadOf(`logs-web-${ordinal}`), count)),
      ),
    )
  })
})

describe('terms', () => {
  test('an entry gives every way to pick one value of each key', () => {
    equal(flattenTopologies(allow({ a: ['1', '2'], b: ['1', '2', '3'] }, { a: ['1'] })).length, 7)
  })
  test('a term that a shorter one covers is kept', () => {
    equal(uniqueTerms(flattenTopologies(allow({ a: ['1'] }, { a: ['1'], b: ['1'] }))).length, 2)
  })
  test('zone1 is no part of zone10', () => {
    equal(isPartOf({ [Z]: 'zone1' }, { [Z]: 'zone10' }), false)
    equal(isPartOf({}, { [Z]: 'zone10' }), true)
  })
})
