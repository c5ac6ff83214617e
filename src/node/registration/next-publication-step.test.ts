import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import { nodeOf } from '../../testing/objects.ts'
import { nextPublicationStep } from './next-publication-step.ts'
import type { PublicationPassView, PublicationStep } from './next-publication-step.ts'
import { REASONS } from './reasons.ts'

const node = nodeOf('n', { metadata: { uid: 'u' } })
const held = { wanted: new Map(), published: new Set<string>(), overwriteOwnLabels: false }
const READ = { csiNode: { object: undefined }, csiNodeInfo: { object: undefined } }
const facts = { nodeId: 'id', topology: {}, maxVolumes: undefined }
const cause = new Error('not served')

type Given = Partial<PublicationPassView>
const viewOf = (given: Given): PublicationPassView => ({
  ...held,
  node,
  nodeName: 'n',
  uid: 'u',
  reads: READ,
  hasPending: false,
  hasWithdrawn: false,
  recheckInMs: 7,
  ...given,
})

const cases: [behaviour: string, given: Given, kind: PublicationStep['kind']][] = [
  ['another Node of the name: everything is published again', { uid: 'before' }, 'begin'],
  ['CSINode is read first', { reads: {}, hasPending: true }, 'read-csi-node'],
  ['the Node is written before CSINode', { wanted: new Map([['d', facts]]), hasPending: true }, 'patch'],
  [
    'without CSINode the drivers work all the same',
    { reads: { csiNode: { object: undefined, unserved: cause } }, hasPending: true },
    'do-without',
  ],
  [
    'a driver counts as published before CSINodeInfo is read',
    { reads: { csiNode: READ.csiNode }, hasPending: true },
    'mark-published',
  ],
  ['CSINodeInfo is read last', { reads: { csiNode: READ.csiNode } }, 'read-node-info'],
  ['a withdrawn driver is forgotten once nothing is left of it', { hasWithdrawn: true }, 'forget-withdrawn'],
]
for (const [behaviour, given, kind] of cases)
  test(behaviour, () => deepEqual(nextPublicationStep(viewOf(given)).kind, kind))

test('waits for a missing Node', () => {
  const view = viewOf({ uid: undefined, node: undefined })
  deepEqual(nextPublicationStep(view), { kind: 'wait', reason: REASONS.NodeMissing('n') })
})

test('once all is published, looks again later', () =>
  deepEqual(nextPublicationStep(viewOf({})), { kind: 'wait', reason: REASONS.Published('n'), retryInMs: 7 }))

test('with an id on the Node, CSINode is written next', () => {
  const annotations = { 'csi.volume.kubernetes.io/nodeid': '{"d":"id"}' }
  const marked: Node = { ...node, metadata: { ...node.metadata, annotations } }
  const step = nextPublicationStep(viewOf({ node: marked, wanted: new Map([['d', facts]]), hasPending: true }))
  deepEqual([step.kind, step.kind === 'write-csi-node' && step.write.kind], ['write-csi-node', 'create'])
})
