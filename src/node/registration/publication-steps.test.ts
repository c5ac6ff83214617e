import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CSINode, CSINodeDriver } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import { formatNodeIds, NODE_ID_ANNOTATION, parseNodeIds } from '../../storage/node-ids.ts'
import { nodeOf } from '../../testing/objects.ts'
import {
  LABEL_RECORD_ANNOTATION,
  nextCsiNodeInfoStep,
  nextCsiNodeStep,
  nextNodeObjectStep,
  noteLabels,
  parseLabelRecord,
} from './next-publication-step.ts'
import type { PublicationView } from './next-publication-step.ts'
import type { NodeFacts } from './node-facts.ts'
import { REASONS } from './reasons.ts'

const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1' }
const node = (labels: Record<string, string> = {}, ids?: string, record?: string): Node =>
  nodeOf('n1', {
    metadata: {
      uid: 'u1',
      labels,
      annotations: {
        ...(ids === undefined ? {} : { [NODE_ID_ANNOTATION]: ids }),
        ...(record === undefined ? {} : { [LABEL_RECORD_ANNOTATION]: record }),
      },
    },
  })
const csiNode = (drivers: CSINodeDriver[], ownerReferences = [OWNER]): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: 'n1', uid: 'c1', resourceVersion: '5', ownerReferences },
  spec: { drivers },
})
const facts = (nodeId: string, topology: Record<string, string> = {}, maxVolumes?: number): NodeFacts => ({
  nodeId,
  topology,
  maxVolumes,
})
const entry = (name: string, nodeID: string, topologyKeys: string[] = [], count?: number): CSINodeDriver => ({
  name,
  nodeID,
  topologyKeys,
  ...(count === undefined ? {} : { allocatable: { count } }),
})
type Wanted = Record<string, NodeFacts | undefined>
const view = (
  seen: Partial<Pick<PublicationView, 'node' | 'csiNode' | 'csiNodeInfo'>>,
  wanted: Wanted,
  more: Partial<Pick<PublicationView, 'published' | 'overwriteOwnLabels'>> = {},
): PublicationView => ({
  node: node(),
  csiNode: undefined,
  wanted: new Map(Object.entries(wanted)),
  published: new Set(),
  overwriteOwnLabels: false,
  ...seen,
  ...more,
})

describe('nextNodeObjectStep', () => {
  test('S3-20, S3-24, H21: labels, id and the record of who wrote the labels in one patch', () => {
    deepEqual(nextNodeObjectStep(view({}, { d: facts('id', { zone: 'a' }) })), {
      kind: 'patch',
      driver: 'd',
      annotations: { [NODE_ID_ANNOTATION]: '{"d":"id"}', [LABEL_RECORD_ANNOTATION]: '{"d":{"zone":"a"}}' },
      labels: { zone: 'a' },
    })
  })
  test('nothing when all is there', () => {
    deepEqual(
      nextNodeObjectStep(view({ node: node({ zone: 'a' }, '{"x":"1","d":"id"}') }, { d: facts('id', { zone: 'a' }) })),
      undefined,
    )
  })
  test('S3-22, S3-23: takes the id of a driver out, but only once CSINode has it no more', () => {
    const there = node({ zone: 'a' }, '{"d":"id","x":"1"}')
    deepEqual(
      nextNodeObjectStep(view({ node: there, csiNode: csiNode([entry('d', 'id')]) }, { d: undefined })),
      undefined,
    )
    deepEqual(nextNodeObjectStep(view({ node: there, csiNode: csiNode([]) }, { d: undefined })), {
      kind: 'patch',
      annotations: { [NODE_ID_ANNOTATION]: '{"x":"1"}' },
      labels: {},
    })
  })
  test('S3-22: takes the annotation away with its last id', () => {
    deepEqual(nextNodeObjectStep(view({ node: node({}, '{"d":"id"}') }, { d: undefined })), {
      kind: 'patch',
      annotations: { [NODE_ID_ANNOTATION]: null },
      labels: {},
    })
  })
  test('H21: a label with another value is a refusal, also where others are missing', () => {
    const step = nextNodeObjectStep(view({ node: node({ zone: 'b' }) }, { d: facts('id', { rack: '1', zone: 'a' }) }))
    equal(step?.kind, 'refuse')
  })
  test('S3-147: a label that has the same value already is shared', () => {
    deepEqual(
      nextNodeObjectStep(view({ node: node({ zone: 'a' }, '{"d":"id"}') }, { d: facts('id', { zone: 'a' }) })),
      undefined,
    )
  })
  const overwrite = (record: string, overwriteOwnLabels = true) =>
    nextNodeObjectStep(
      view(
        { node: node({ zone: 'b' }, '{"d":"id"}', record) },
        { d: facts('id', { zone: 'a' }) },
        { overwriteOwnLabels },
      ),
    )
  test('H21: with the option a label that the driver wrote last is changed', () => {
    deepEqual(overwrite('{"d":{"zone":"b"}}'), {
      kind: 'patch',
      driver: 'd',
      annotations: { [LABEL_RECORD_ANNOTATION]: '{"d":{"zone":"a"}}' },
      labels: { zone: 'a' },
    })
  })
  const kept: [who: string, record: string, option?: boolean][] = [
    ['without the option', '{"d":{"zone":"b"}}', false],
    ['that somebody has changed since', '{"d":{"zone":"a"}}'],
    ['that another driver wrote', '{"other":{"zone":"b"}}'],
    ['that nobody recorded', '{}'],
    ['when the record can not be read', '[{'],
    ['when the record is something else', '{"d":["zone"],"x":null}'],
  ]
  for (const [who, record, option] of kept)
    test(`H21: a label stays ${who}`, () => equal(overwrite(record, option)?.kind, 'refuse'))
  test('H21: a key belongs to whoever wrote it last', () => {
    deepEqual(noteLabels({ a: { x: '1', y: '2' }, b: { x: '0' } }, 'b', { y: '3' }), {
      a: { x: '1' },
      b: { x: '0', y: '3' },
    })
    deepEqual(noteLabels({ a: { x: '1' } }, 'b', { x: '2' }), { b: { x: '2' } })
    deepEqual(parseLabelRecord(node({}, undefined, '{"a":{"x":"1","y":2}}')), { a: { x: '1' } })
  })
  test('of a driver that is published, labels that went come back and those that were changed stay', () => {
    const published = new Set(['d'])
    const wanted = { d: facts('id', { zone: 'a', rack: '1' }) }
    deepEqual(nextNodeObjectStep(view({ node: node({ zone: 'b' }, '{"d":"id"}') }, wanted, { published })), {
      kind: 'patch',
      driver: 'd',
      annotations: { [LABEL_RECORD_ANNOTATION]: '{"d":{"rack":"1"}}' },
      labels: { rack: '1' },
    })
  })
  test('one driver after the other, so that none spoils it for another', () => {
    const step = nextNodeObjectStep(view({}, { a: facts('1', { x: '1' }), b: facts('2', { y: '2' }) }))
    deepEqual(step?.kind === 'patch' && [step.driver, step.labels], ['a', { x: '1' }])
  })
  for (const text of ['{', '[]', '"x"', 'null', '{"a":1}']) {
    test(`H23: refuses to write over ${text}, and takes nothing out of it`, () => {
      equal(nextNodeObjectStep(view({ node: node({}, text) }, { d: facts('id') }))?.kind, 'refuse')
      equal(nextNodeObjectStep(view({ node: node({}, text) }, { d: undefined })), undefined)
    })
  }
  test('names that objects have by themselves are names', () => {
    equal(nextNodeObjectStep(view({}, { d: facts('id', { constructor: 'a' }) }))?.kind, 'patch')
    deepEqual(parseNodeIds(node({}, '{"toString":"x"}'))?.get('toString'), 'x')
    equal(
      formatNodeIds(
        new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
      ),
      '{"a":"1","b":"2"}',
    )
  })
})

describe('nextCsiNodeStep', () => {
  test('S3-14, S3-36, S3-37: makes it, owned by the node, keys sorted, no limit where there is none', () => {
    deepEqual(nextCsiNodeStep(view({}, { d: facts('id', { z: '1', a: '2' }), e: facts('e', {}, 3) })), {
      kind: 'create',
      object: {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name: 'n1', ownerReferences: [OWNER] },
        spec: { drivers: [entry('d', 'id', ['a', 'z']), entry('e', 'e', [], 3)] },
      },
    })
  })
  test('makes none for nobody', () => equal(nextCsiNodeStep(view({}, { d: undefined })), undefined))

  const drivers = (step: ReturnType<typeof nextCsiNodeStep>) =>
    step?.kind === 'update' ? step.object.spec.drivers : step?.kind
  const cases: [what: string, present: CSINodeDriver[], wanted: Wanted, expected: unknown][] = [
    [
      'S3-17: adds at the end and leaves others',
      [entry('x', '1')],
      { d: facts('id') },
      [entry('x', '1'), entry('d', 'id')],
    ],
    [
      'H20: takes an entry with another id out first',
      [entry('d', 'old'), entry('x', '1')],
      { d: facts('id') },
      [entry('x', '1')],
    ],
    ['H20: and one with other keys', [entry('d', 'id', ['a'])], { d: facts('id', { b: '1' }) }, []],
    [
      'S3-30: changes the limit in place',
      [entry('d', 'id', [], 3), entry('x', '1')],
      { d: facts('id', {}, 4) },
      [entry('d', 'id', [], 4), entry('x', '1')],
    ],
    ['takes a limit out', [entry('d', 'id', [], 3)], { d: facts('id') }, [entry('d', 'id')]],
    [
      'S3-19: takes a driver out that has gone',
      [entry('d', 'id'), entry('x', '1')],
      { d: undefined },
      [entry('x', '1')],
    ],
    ['S3-154: leaves an empty list', [entry('d', 'id')], { d: undefined }, []],
    [
      'does nothing for what is the same, in whatever order its keys are',
      [entry('d', 'id', ['b', 'a'])],
      { d: facts('id', { a: '1', b: '2' }) },
      undefined,
    ],
    ['null is no keys', [{ ...entry('d', 'id'), topologyKeys: null }], { d: facts('id') }, undefined],
  ]
  for (const [what, present, wanted, expected] of cases)
    test(what, () => deepEqual(drivers(nextCsiNodeStep(view({ csiNode: csiNode(present) }, wanted))), expected))

  test('S3-37: deletes what belongs to another node, or to nobody', () => {
    equal(
      nextCsiNodeStep(view({ csiNode: csiNode([], [{ ...OWNER, uid: 'u0' }]) }, { d: facts('id') }))?.kind,
      'delete',
    )
    equal(nextCsiNodeStep(view({ csiNode: csiNode([], []) }, { d: facts('id') }))?.kind, 'delete')
  })
})

describe('nextCsiNodeInfoStep', () => {
  const info = (rest: Partial<CSINodeInfo>): CSINodeInfo => ({
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSINodeInfo',
    metadata: { name: 'n1', ownerReferences: [OWNER] },
    ...rest,
  })
  const d = { name: 'd', nodeID: 'id', topologyKeys: ['zone'] }
  const wanted = { d: facts('id', { zone: 'a' }) }

  test('S3-26, S3-27, S3-28, S3-29, S3-30, H7: makes it in the shape of the document', () => {
    deepEqual(nextCsiNodeInfoStep(view({}, wanted)), { kind: 'create', object: info({ csiDrivers: [d] }) })
  })
  test('H20: overwrites an entry in one write, and others stay', () => {
    const x = { name: 'x', nodeID: '1', topologyKeys: [] }
    const step = nextCsiNodeInfoStep(view({ csiNodeInfo: info({ csiDrivers: [{ ...d, nodeID: 'old' }, x] }) }, wanted))
    deepEqual(step?.kind === 'update' && step.object.csiDrivers, [x, d])
  })
  test('H7: takes its entries out of the lists of the first releases', () => {
    const step = nextCsiNodeInfoStep(
      view(
        {
          csiNodeInfo: info({
            csiDrivers: [{ driver: 'd', nodeID: 'old' }],
            spec: { drivers: [{ name: 'd' }, { name: 'x' }] },
          }),
        },
        wanted,
      ),
    )
    deepEqual(step?.kind === 'update' && [step.object.csiDrivers, step.object.spec?.drivers], [[d], [{ name: 'x' }]])
  })
  test('nothing for what is the same', () =>
    equal(nextCsiNodeInfoStep(view({ csiNodeInfo: info({ csiDrivers: [d] }) }, wanted)), undefined))
  test('S3-19: takes a driver out', () => {
    const step = nextCsiNodeInfoStep(view({ csiNodeInfo: info({ csiDrivers: [d] }) }, { d: undefined }))
    deepEqual(step?.kind === 'update' && step.object.csiDrivers, [])
  })
})

test('with no driver to publish, nothing is to be written', () =>
  deepEqual(
    [nextNodeObjectStep, nextCsiNodeStep, nextCsiNodeInfoStep].map((next) => next(view({}, {}))),
    [undefined, undefined, undefined],
  ))

describe('all of a CSINodeInfo', () => {
  const info = (rest: Partial<CSINodeInfo>): CSINodeInfo => ({
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSINodeInfo',
    metadata: { name: 'n1', resourceVersion: '5', ownerReferences: [OWNER] },
    ...rest,
  })
  const d = { name: 'd', nodeID: 'id', topologyKeys: ['rack', 'zone'] }
  const x = { name: 'x', nodeID: '1', topologyKeys: [] }
  const a = { name: 'a', nodeID: '2', topologyKeys: [] }
  const wanted = { d: facts('id', { zone: 'a', rack: '1' }) }

  test('is not made for nobody', () => deepEqual(nextCsiNodeInfoStep(view({}, { d: undefined })), undefined))
  test('keys are sorted', () => {
    const step = nextCsiNodeInfoStep(view({}, wanted))
    deepEqual(step?.kind === 'create' && step.object.csiDrivers, [d])
  })
  test('the rest of the object stays, and its owner is the node', () => {
    const stranger = info({ csiDrivers: [x], metadata: { name: 'n1', resourceVersion: '5', ownerReferences: [] } })
    deepEqual(nextCsiNodeInfoStep(view({ csiNodeInfo: stranger }, wanted)), {
      kind: 'update',
      object: info({ csiDrivers: [x, d] }),
    })
    deepEqual(nextCsiNodeInfoStep(view({ csiNodeInfo: { ...stranger, csiDrivers: [x, d] } }, wanted)), {
      kind: 'update',
      object: info({ csiDrivers: [x, d] }),
    })
  })
  test('nothing is written for the order alone, nor for keys that are left out where there are none', () => {
    for (const csiDrivers of [
      [d, x, a],
      [a, d, x],
      [x, a, d],
    ])
      deepEqual(nextCsiNodeInfoStep(view({ csiNodeInfo: info({ csiDrivers }) }, wanted)), undefined)
    deepEqual(
      nextCsiNodeInfoStep(view({ csiNodeInfo: info({ csiDrivers: [{ name: 'x', nodeID: '1' }] }) }, { x: facts('1') })),
      undefined,
    )
  })
  test('other keys are written', () => {
    const step = nextCsiNodeInfoStep(
      view({ csiNodeInfo: info({ csiDrivers: [{ ...d, topologyKeys: ['zone'] }] }) }, wanted),
    )
    deepEqual(step?.kind === 'update' && step.object.csiDrivers, [d])
  })
  test('what the releases had elsewhere is taken out, though the rest is the same', () => {
    equal(
      nextCsiNodeInfoStep(view({ csiNodeInfo: info({ csiDrivers: [d], spec: { drivers: [{ name: 'd' }] } }) }, wanted))
        ?.kind,
      'update',
    )
  })
})

describe('all of what is written to the Node', () => {
  test('a label that collides counts before an annotation that cannot be read', () => {
    const step = nextNodeObjectStep(view({ node: node({ zone: 'b' }, '{') }, { d: facts('id', { zone: 'a' }) }))
    deepEqual(step, {
      kind: 'refuse',
      driver: 'd',
      reason: REASONS.TopologyLabelCollision('d', { key: 'zone', present: 'b', reported: 'a' }),
    })
  })
  test('an annotation that cannot be read is told with node and driver', () => {
    deepEqual(nextNodeObjectStep(view({ node: node({}, '{') }, { d: facts('id') })), {
      kind: 'refuse',
      driver: 'd',
      reason: REASONS.NodeIDAnnotationMalformed('n1', 'd'),
    })
  })
  test('of a driver that is published, an annotation that cannot be read is left alone and labels come back', () => {
    const step = nextNodeObjectStep(
      view({ node: node({}, '{') }, { d: facts('id', { zone: 'a' }) }, { published: new Set(['d']) }),
    )
    deepEqual(step, {
      kind: 'patch',
      driver: 'd',
      annotations: { [LABEL_RECORD_ANNOTATION]: '{"d":{"zone":"a"}}' },
      labels: { zone: 'a' },
    })
  })
  test('an id alone is written, too', () => {
    deepEqual(nextNodeObjectStep(view({ node: node({ zone: 'a' }) }, { d: facts('id', { zone: 'a' }) })), {
      kind: 'patch',
      driver: 'd',
      annotations: { [NODE_ID_ANNOTATION]: '{"d":"id"}' },
      labels: {},
    })
  })
})

test('what a later version has in the spec of a CSINode stays', () => {
  const later = { ...csiNode([]), spec: { drivers: [], ofTomorrow: true } } as CSINode
  deepEqual(nextCsiNodeStep(view({ csiNode: later }, { d: facts('id') })), {
    kind: 'update',
    object: { ...later, spec: { drivers: [entry('d', 'id')], ofTomorrow: true } },
  })
})
