import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { AttachedVolume, Node, NodeStatus } from '../../api/kinds/node.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { nodeOf } from '../../testing/objects.ts'
import { attachmentsAffected } from './node-facts.ts'
import type { Affected } from './node-facts.ts'

const READY = [{ type: 'Ready', status: 'True' }] as const
const MANAGED = { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } }
const volume = (handle: string): string => uniqueVolumeName('d', handle)
const reports = (...handles: string[]): AttachedVolume[] =>
  handles.map((handle) => ({ name: volume(handle), devicePath: '' }))
const node = (status: NodeStatus = {}, more: Partial<Node> = {}): Node => ({
  ...nodeOf('n', { metadata: { uid: 'u', ...MANAGED }, status: { conditions: READY, ...status } }),
  ...more,
})
const some = (...handles: string[]): Affected =>
  handles.map((handle) => attachmentName({ driver: 'd', volumeHandle: handle, nodeName: 'n' }))

const cases: [behaviour: string, before: Node | undefined, after: Node | undefined, affected: Affected][] = [
  [
    'a heartbeat concerns nobody',
    node(),
    node({ conditions: [{ ...READY[0], lastHeartbeatTime: '2030-01-01T00:00:00Z' }] }),
    undefined,
  ],
  [
    'an order that is another one concerns nobody',
    node({ volumesInUse: [volume('a'), volume('b')] }),
    node({ volumesInUse: [volume('b'), volume('a')] }),
    undefined,
  ],
  [
    'a volume that comes into use concerns its attachment',
    node({ volumesInUse: [volume('a')] }),
    node({ volumesInUse: [volume('a'), volume('b')] }),
    some('b'),
  ],
  [
    'one that is no longer used does',
    node({ volumesInUse: [volume('a'), volume('b')] }),
    node({ volumesInUse: [volume('b')] }),
    some('a'),
  ],
  [
    'one that is reported, and one that no longer is, do',
    node({ volumesAttached: reports('a', 'c') }),
    node({ volumesAttached: reports('c', 'b') }),
    some('a', 'b'),
  ],
  ['volumes that are not of CSI have no attachment', node(), node({ volumesInUse: ['kubernetes.io/other/x'] }), []],
  ['health concerns all', node(), node({ conditions: [{ type: 'Ready', status: 'False' }] }), 'all'],
  [
    'being out of service concerns all',
    node(),
    node({}, { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } }),
    'all',
  ],
  ['whether it is managed concerns all', node(), node({}, { metadata: { name: 'n', uid: 'u' } }), 'all'],
  [
    'another node of the same name concerns all',
    node(),
    node({}, { metadata: { name: 'n', uid: 'other', ...MANAGED } }),
    'all',
  ],
  ['a node that comes concerns all', undefined, node(), 'all'],
  ['a node that goes concerns all', node(), undefined, 'all'],
]
for (const [behaviour, before, after, affected] of cases)
  test(behaviour, () => deepEqual(attachmentsAffected('n', before, after), affected))
