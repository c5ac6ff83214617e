import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { nodeOf as plainNodeOf, podOf, volumeOf } from '../../testing/objects.ts'
import type { AttachmentHeld, AttachmentView, PodWish } from './attachment-view.ts'
import { isReportStale, nextNodeStatusStep } from './next-node-status-step.ts'
import type { NodeStatusView } from './next-node-status-step.ts'
import { REASONS } from './reasons.ts'

const DRIVER = 'd.example.com'
const NODE = 'node-1'
const nameOf = (handle: string): string => uniqueVolumeName(DRIVER, handle)
const ownName = (handle: string): string => attachmentName({ driver: DRIVER, volumeHandle: handle, nodeName: NODE })
const listed = (...names: string[]) => names.map((name) => ({ name, devicePath: '' }))

const nodeOf = ({
  attached = [],
  inUse = [],
  managed = true,
}: { attached?: string[]; inUse?: string[]; managed?: boolean } = {}): Node =>
  plainNodeOf(NODE, {
    metadata: managed ? { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } } : {},
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      volumesAttached: listed(...attached),
      volumesInUse: inUse,
    },
  })

function wishOf(handle: string, changes: Partial<PodWish> = {}): PodWish {
  const csi = { driver: DRIVER, volumeHandle: handle }
  return {
    name: ownName(handle),
    nodeName: NODE,
    pod: podOf('web'),
    volume: {
      driver: DRIVER,
      volumeHandle: handle,
      uniqueName: nameOf(handle),
      volumeName: handle,
      spec: { csi },
      csi,
      persistentVolume: volumeOf({ name: handle, spec: { csi } }),
    },
    ...changes,
  }
}

type State = { attached?: boolean; leaving?: boolean; failed?: boolean }
const attachmentOf = (
  handle: string,
  { attached = true, leaving = false, failed = false }: State = {},
): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: ownName(handle), uid: handle, ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}) },
  spec: { attacher: DRIVER, nodeName: NODE, source: { persistentVolumeName: handle } },
  status: { attached, ...(failed ? { attachError: { message: 'no' } } : {}) },
})

type Given = {
  handle?: string
  state?: State | 'none'
  wanted?: boolean
  name?: string
  wishes?: PodWish[]
  node?: Node
  held?: Partial<AttachmentHeld>
}
/** A volume that is attached and wanted, unless the case says otherwise. */
function viewOf({
  handle = 'h1',
  state = {},
  wanted = true,
  name = ownName(handle),
  wishes = wanted ? [wishOf(handle)] : [],
  node = nodeOf(),
  held,
}: Given = {}): AttachmentView {
  const seen = {
    name,
    nodeName: NODE,
    uniqueName: nameOf(handle),
    wishes,
    elsewhere: [],
    otherPods: [],
    node,
    ...(state === 'none' ? {} : { attachment: attachmentOf(handle, state) }),
  }
  return { seen, ...(held ? { held: { nowMs: 0, timeoutMs: 1, isStatusUnsure: false, ...held } } : {}) }
}
function withoutVolumeName(view: AttachmentView): AttachmentView {
  const { uniqueName: _unknown, ...seen } = view.seen
  return { ...view, seen }
}

const stepOf = (
  node: Node,
  attachments: readonly AttachmentView[],
  held?: Partial<NonNullable<NodeStatusView['held']>>,
) =>
  nextNodeStatusStep({
    seen: { node, attachments },
    ...(held ? { held: { nowMs: 100, gatherMs: 50, isInDoubt: false, ...held } } : {}),
  })

test('a node that is not managed is left alone, though the last write is in doubt', () => {
  deepEqual(stepOf(nodeOf({ managed: false }), [viewOf()], { isInDoubt: true }), {
    kind: 'wait',
    reason: REASONS.NodeNotManaged(NODE),
  })
})

test('a write that is in doubt is asked after', () => {
  deepEqual(stepOf(nodeOf(), [viewOf()], { isInDoubt: true }), { kind: 'look' })
})

test('new volumes are added in the order of their names, and the rest stays', () => {
  const foreign = 'kubernetes.io/nfs/share'
  const [b, a] = [viewOf({ handle: 'b' }), viewOf({ handle: 'a' })]
  const there = viewOf({ handle: 'c' })
  const step = stepOf(nodeOf({ attached: [nameOf('c'), foreign, nameOf('gone')] }), [b, a, there])
  deepEqual(step, {
    kind: 'write',
    volumes: listed(nameOf('c'), foreign, nameOf('a'), nameOf('b')),
    added: [b, a],
    removed: [nameOf('gone')],
  })
})

test('a list that is right is not written, with volumes of others in it or not', () => {
  deepEqual(stepOf(nodeOf({ attached: ['kubernetes.io/nfs/share', nameOf('h1')] }), [viewOf()]), {
    kind: 'wait',
    reason: REASONS.NodeStatusCurrent,
  })
})

const WITHDRAWN: [behaviour: string, given: Given][] = [
  ['not attached', { state: { attached: false } }],
  ['without an object', { state: 'none' }],
  ['leaving', { state: { leaving: true } }],
  ['whose deletion was sent', { held: { deletion: 'sent' } }],
  ['under a name that no node looks for', { name: 'pv-1', wishes: [wishOf('h1', { name: 'another' })] }],
  ['that nobody wants', { wanted: false }],
]
for (const [behaviour, given] of WITHDRAWN) {
  test(`a volume ${behaviour} is taken off the list`, () => {
    const node = nodeOf({ attached: [nameOf('h1')] })
    deepEqual(stepOf(node, [viewOf({ ...given, node })]), {
      kind: 'write',
      volumes: [],
      added: [],
      removed: [nameOf('h1')],
    })
    equal(isReportStale(viewOf({ ...given, node })), behaviour !== 'under a name that no node looks for')
    equal(isReportStale(viewOf({ ...given, node: nodeOf() })), false)
  })
}

test('a volume that nobody wants but the node uses stays as it is: neither added nor taken off', () => {
  for (const attached of [[nameOf('h1')], []]) {
    const node = nodeOf({ attached, inUse: [nameOf('h1')] })
    deepEqual(stepOf(node, [viewOf({ wanted: false, node })]), { kind: 'wait', reason: REASONS.NodeStatusCurrent })
    equal(isReportStale(viewOf({ wanted: false, node })), false)
  }
})

test('a volume that is attached and wanted makes a list stale that lacks it, and no other', () => {
  equal(isReportStale(viewOf()), true)
  equal(isReportStale(viewOf({ node: nodeOf({ attached: [nameOf('h1')] }) })), false)
  const { node: _gone, ...seen } = viewOf().seen
  equal(isReportStale({ seen }), false)
  equal(isReportStale(withoutVolumeName(viewOf())), false)
})

test('a wish gives the attachment its name, but only one for this node and volume', () => {
  const isReported = (...wishes: PodWish[]): boolean =>
    stepOf(nodeOf(), [viewOf({ name: 'given', wishes })]).kind === 'write'
  const elsewhere = wishOf('h1', { name: 'given', nodeName: 'node-2' })
  equal(isReported(wishOf('h1', { name: 'given' })), true)
  equal(isReported(wishOf('h1', { name: 'another' }), wishOf('h1', { name: 'given' })), true)
  equal(isReported(wishOf('h1', { name: 'another' })), false)
  equal(isReported(elsewhere), false)
  equal(isReported({ ...wishOf('h2'), name: 'given' }), false)
})

test('an attachment whose volume is not known is not reported', () => {
  deepEqual(stepOf(nodeOf(), [withoutVolumeName(viewOf())]), { kind: 'wait', reason: REASONS.NodeStatusCurrent })
})

const EXPECTED: [behaviour: string, given: Given, isExpected: boolean][] = [
  ['is about to be attached', { state: { attached: false } }, true],
  ['is being asked for', { state: 'none', held: { create: { kind: 'sending' } } }, true],
  ['has not been asked for', { state: 'none', held: {} }, false],
  ['failed to attach', { state: { attached: false, failed: true } }, false],
  ['is attached', {}, false],
  ['is leaving', { state: { attached: false, leaving: true } }, false],
  ['is being deleted', { state: { attached: false }, held: { deletion: 'sent' } }, false],
  ['is not wanted', { state: { attached: false }, wanted: false }, false],
]
for (const [behaviour, given, isExpected] of EXPECTED) {
  test(`a write waits for another volume that ${behaviour}: ${isExpected ? 'yes' : 'no'}`, () => {
    const attachments = [viewOf(), viewOf({ handle: 'h2', ...given })]
    equal(stepOf(nodeOf(), attachments, {}).kind, isExpected ? 'wait' : 'write')
    equal(stepOf(nodeOf(), attachments).kind, 'write')
  })
}

test('a write waits for others until its time is over, and not when something has to be taken off', () => {
  const attachments = [viewOf(), viewOf({ handle: 'h2', state: { attached: false } })]
  deepEqual(stepOf(nodeOf(), attachments, {}), { kind: 'wait', reason: REASONS.GatheringVolumes, retryInMs: 50 })
  deepEqual(stepOf(nodeOf(), attachments, { addingSinceMs: 51 }), {
    kind: 'wait',
    reason: REASONS.GatheringVolumes,
    retryInMs: 1,
  })
  equal(stepOf(nodeOf(), attachments, { addingSinceMs: 50 }).kind, 'write')
  equal(stepOf(nodeOf({ attached: [nameOf('gone')] }), attachments, {}).kind, 'write')
})
