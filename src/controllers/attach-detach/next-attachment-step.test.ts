import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { nodeOf, podOf, volumeOf } from '../../testing/objects.ts'
import { identifyAttachment } from './attachment-view.ts'
import type { AttachmentHeld, AttachmentView, PodWish } from './attachment-view.ts'
import { nextAttachmentStep } from './next-attachment-step.ts'
import type { AttachmentStep } from './next-attachment-step.ts'
import { isReportStale, nextNodeStatusStep } from './next-node-status-step.ts'
import { attachFailedText, multiAttachText, REASONS } from './reasons.ts'

const DRIVER = 'd.example.com'
const NODE = 'node-1'
const VOLUME = uniqueVolumeName(DRIVER, 'h1')
const NAME = attachmentName({ driver: DRIVER, volumeHandle: 'h1', nodeName: NODE })

const pod = (name: string, namespace = 'default'): Pod => podOf(name, { namespace, uid: name })
const spec = { accessModes: ['ReadWriteOnce'], csi: { driver: DRIVER, volumeHandle: 'h1' } } as const
const persistent = volumeOf({ spec })
const wish: PodWish = {
  name: NAME,
  nodeName: NODE,
  pod: pod('web'),
  volume: {
    driver: DRIVER,
    volumeHandle: 'h1',
    uniqueName: VOLUME,
    volumeName: 'v1',
    spec,
    csi: spec.csi,
    persistentVolume: persistent,
  },
}

const attachment = (state: 'new' | 'attached' | 'failed' | 'leaving', nodeName = NODE): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: {
    name: attachmentName({ driver: DRIVER, volumeHandle: 'h1', nodeName }),
    uid: 'u1',
    ...(state === 'leaving' ? { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['external-attacher/d'] } : {}),
  },
  spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: 'v1' } },
  status: {
    attached: state === 'attached' || state === 'leaving',
    ...(state === 'failed' ? { attachError: { message: 'no room' } } : {}),
  },
})

type NodeState = { inUse?: boolean; reported?: boolean; ready?: boolean; taint?: boolean; managed?: boolean }
const node = ({ inUse = false, reported = false, ready = true, taint = false, managed = true }: NodeState = {}): Node =>
  nodeOf(NODE, {
    metadata: managed ? { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } } : {},
    spec: taint ? { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } : {},
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }],
      volumesInUse: inUse ? [VOLUME] : [],
      volumesAttached: reported ? [{ name: VOLUME, devicePath: '' }] : [],
    },
  })

type Given = Partial<Omit<AttachmentView['seen'], 'node'>> & {
  held?: Partial<AttachmentHeld> | 'outside'
  node?: Node | undefined
}
function view({ held = {}, ...seen }: Given): AttachmentView {
  const { node: given, ...rest } = { node: node(), ...seen }
  const facts = {
    name: NAME,
    nodeName: NODE,
    uniqueName: VOLUME,
    wishes: [],
    elsewhere: [],
    otherPods: [],
    ...rest,
    ...(given ? { node: given } : {}),
  }
  return {
    seen: facts,
    ...(held === 'outside'
      ? {}
      : {
          held: { nowMs: 1_000_000, timeoutMs: 120_000, forceDetachAfterMs: 360_000, isStatusUnsure: false, ...held },
        }),
  }
}
/** A step in a few words: `wait AttachedElsewhere 5000`. */
const brief = (step: AttachmentStep): string =>
  step.kind === 'wait'
    ? ['wait', step.reason.code, step.retryInMs].filter((part) => part !== undefined).join(' ')
    : [step.kind, 'forced' in step ? step.forced : undefined].filter(Boolean).join(' ')

const wanted = [wish]
const elsewhere = [{ name: 'other', nodeName: 'node-2', attachment: attachment('new', 'node-2') }]
const unwantedSinceMs = 1_000_000 - 360_000

const cases: [behaviour: string, given: Given, step: string][] = [
  ['S3-112: makes the attachment', { wishes: wanted }, 'create'],
  ['waits for a node that is not there', { wishes: wanted, node: undefined }, 'wait NodeMissing'],
  ['leaves a node alone that is not ours', { wishes: wanted, node: node({ managed: false }) }, 'wait NodeNotManaged'],
  [
    'does not make one while it is being made',
    { wishes: wanted, held: { create: { kind: 'sending' } } },
    'wait AttachmentUnseen',
  ],
  [
    'does not make one that the server has',
    { wishes: wanted, held: { create: { kind: 'sent', checkAtMs: 1_005_000 } } },
    'wait AttachmentUnseen 5000',
  ],
  [
    'asks after one that does not show',
    { wishes: wanted, held: { create: { kind: 'sent', checkAtMs: 1_000_000 } } },
    'look',
  ],
  [
    'makes one again whose answer was lost',
    { wishes: wanted, held: { create: { kind: 'in-doubt', checkAtMs: 1_005_000 } } },
    'create',
  ],
  [
    'asks after one whose answer was lost and that nobody wants',
    { held: { create: { kind: 'in-doubt', checkAtMs: 1_000_000 } } },
    'look',
  ],
  ['but not at once', { held: { create: { kind: 'in-doubt', checkAtMs: 1_000_001 } } }, 'wait AttachmentUnseen 1'],
  ['S3-114: waits for one that is there', { wishes: wanted, attachment: attachment('new') }, 'wait AwaitingAttacher'],
  [
    'S3-117: until the time is over',
    { wishes: wanted, attachment: attachment('new'), held: { waitingSinceMs: 990_000 } },
    'wait AwaitingAttacher 110000',
  ],
  ['S3-116: tells an error', { wishes: wanted, attachment: attachment('failed') }, 'wait AttachFailed'],
  ['S3-115: is content when it is attached', { wishes: wanted, attachment: attachment('attached') }, 'wait Attached'],
  [
    'S3-118, S3-119: does not trust one that is leaving',
    { wishes: wanted, attachment: attachment('leaving') },
    'wait DetachUnderWay',
  ],
  [
    'waits while the volume is elsewhere, even if that was never confirmed',
    { wishes: wanted, elsewhere },
    'wait AttachedElsewhere',
  ],
  [
    'waits while it may be on its way elsewhere',
    { wishes: wanted, elsewhere: [{ name: 'other', nodeName: 'node-2' }] },
    'wait AttachedElsewhere',
  ],
  ['wants nothing', {}, 'wait NotWanted'],
  ['S3-120: deletes what nobody wants', { attachment: attachment('attached') }, 'delete'],
  [
    'but only when the node is no longer told of it',
    { attachment: attachment('attached'), node: node({ reported: true }) },
    'wait StillReportedAttached',
  ],
  [
    'and that is sure',
    { attachment: attachment('attached'), held: { isStatusUnsure: true } },
    'wait NodeStatusBeingWritten',
  ],
  [
    'not while the node uses it',
    { attachment: attachment('attached'), node: node({ inUse: true }), held: { unwantedSinceMs } },
    'wait VolumeInUse',
  ],
  [
    'nor too soon when the node is dead',
    {
      attachment: attachment('attached'),
      node: node({ inUse: true, ready: false }),
      held: { unwantedSinceMs: 999_999 },
    },
    'wait VolumeInUse 359999',
  ],
  [
    'then it is forced',
    { attachment: attachment('attached'), node: node({ inUse: true, ready: false }), held: { unwantedSinceMs } },
    'delete timeout',
  ],
  [
    'at once when somebody vouches for the node',
    { attachment: attachment('attached'), node: node({ inUse: true, taint: true }) },
    'delete out-of-service',
  ],
  [
    'which counts only where it is needed',
    { attachment: attachment('attached'), node: node({ taint: true }) },
    'delete',
  ],
  [
    'a node that is gone used what it used last',
    { attachment: attachment('attached'), node: undefined, held: { lastInUse: [VOLUME] } },
    'wait VolumeInUse 360000',
  ],
  ['and nothing else', { attachment: attachment('attached'), node: undefined, held: { lastInUse: [] } }, 'delete'],
  [
    'what it used is not known after a restart',
    { attachment: attachment('attached'), node: undefined },
    'wait VolumeInUse 360000',
  ],
  [
    'sees a deletion through that was sent',
    { wishes: wanted, attachment: attachment('attached'), held: { deletion: 'sent' } },
    'delete',
  ],
  [
    'and waits for one that was answered',
    { wishes: wanted, attachment: attachment('attached'), held: { deletion: 'answered' } },
    'wait Detaching',
  ],
  ['S3-123: waits until it is gone', { attachment: attachment('leaving') }, 'wait Detaching'],
  [
    'asked from outside it says what it waits for',
    { wishes: wanted, elsewhere, held: 'outside' },
    'wait AttachedElsewhere',
  ],
  [
    'asked from outside it forces nothing',
    { attachment: attachment('attached'), node: node({ inUse: true, ready: false }), held: 'outside' },
    'wait VolumeInUse',
  ],
]
for (const [behaviour, given, step] of cases) test(behaviour, () => equal(brief(nextAttachmentStep(view(given))), step))

test('S3-121, H31: an attachment that nobody but a stranger keeps does not hold the volume', () => {
  const { metadata, ...rest } = attachment('new', 'node-2')
  const released: VolumeAttachment = {
    ...rest,
    metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['example.com/hold'] },
  }
  equal(
    nextAttachmentStep(
      view({ wishes: wanted, elsewhere: [{ name: 'other', nodeName: 'node-2', attachment: released }] }),
    ).kind,
    'create',
  )
})

test('a pod is told who has its volume, and only how many there are in other namespaces', () => {
  const text = (...others: Pod[]): string =>
    multiAttachText('v1', pod('web'), others).replace('Multi-Attach error for volume "v1" ', '')
  equal(text(), "Volume is already exclusively attached to one node and can't be attached to another")
  equal(text(pod('a'), pod('b')), 'Volume is already used by pod(s) a, b')
  equal(text(pod('a'), pod('b', 'team')), 'Volume is already used by pod(s) a and 1 pod(s) in different namespaces')
  equal(text(pod('a', 'team'), pod('b', 'team')), 'Volume is already used by 2 pod(s) in different namespaces')
})

test('H35: an attachment is known by its name even when volume and handle are gone, as long as the node speaks of it', () => {
  const { spec: given, ...rest } = attachment('attached')
  const known = (object: VolumeAttachment, at: Node | undefined) =>
    identifyAttachment(object, { volume: () => undefined, node: () => at })
  equal(known({ spec: given, ...rest }, node({ inUse: true })), VOLUME)
  equal(known({ spec: given, ...rest }, node({ reported: true })), VOLUME)
  equal(known({ spec: given, ...rest }, node()), undefined)
  equal(
    known(
      {
        ...rest,
        spec: given,
        metadata: { name: 'pv-1', annotations: { 'attacher.holdfast.dev/volume-handle': 'h7' } },
      },
      undefined,
    ),
    uniqueVolumeName(DRIVER, 'h7'),
  )
  // Another volume under the name of the one that was attached.
  const other = { ...persistent, spec: { ...spec, csi: { ...spec.csi, volumeHandle: 'h8' } } }
  const noted = {
    ...rest,
    spec: given,
    metadata: { ...rest.metadata, annotations: { 'attacher.holdfast.dev/volume-handle': 'h1' } },
  }
  equal(identifyAttachment(noted, { volume: () => other, node: () => undefined }), VOLUME)
})

test('S3-125: the node is told what is attached and wanted, and nothing else of ours', () => {
  const given = (attachments: AttachmentView[], at: Node, addingSinceMs?: number) =>
    nextNodeStatusStep({
      seen: { node: at, attachments },
      held: { nowMs: 100, gatherMs: 50, isInDoubt: false, ...(addingSinceMs === undefined ? {} : { addingSinceMs }) },
    })
  const listed = [{ name: VOLUME, devicePath: '' }]
  const attached = view({ wishes: wanted, attachment: attachment('attached') })
  const added = given([attached], node())
  deepEqual('volumes' in added && added.volumes, listed)
  equal(given([attached], node({ reported: true })).kind, 'wait')
  // Used, though nobody wants it: it stays as it is.
  equal(
    given(
      [view({ attachment: attachment('attached'), node: node({ inUse: true, reported: true }) })],
      node({ inUse: true, reported: true }),
    ).kind,
    'wait',
  )
  const withdrawn = given(
    [view({ attachment: attachment('attached'), node: node({ reported: true }) })],
    node({ reported: true }),
  )
  deepEqual('volumes' in withdrawn && [withdrawn.volumes, withdrawn.removed], [[], [VOLUME]])
  equal(nextNodeStatusStep({ seen: { node: node({ managed: false }), attachments: [attached] } }).kind, 'wait')
  equal(isReportStale(attached), true)

  const expected = view({
    name: 'another',
    uniqueName: uniqueVolumeName(DRIVER, 'h2'),
    wishes: wanted,
    attachment: attachment('new'),
  })
  deepEqual(given([attached, expected], node()), { kind: 'wait', reason: REASONS.GatheringVolumes, retryInMs: 50 })
  equal(given([attached, expected], node(), 50).kind, 'write')
})

/** A step as data: what pods are told as the text for one of them. */
const whole = (step: AttachmentStep): object => {
  if (step.kind !== 'wait' || step.warning?.about !== 'pods') return step
  const { textFor, ...warning } = step.warning
  return { ...step, warning: { ...warning, text: textFor(pod('web')) } }
}
const toldPods = (why: string, round = 0): object => ({
  warning: { about: 'pods', round, text: attachFailedText('v1', why) },
})
const stillAttached = {
  ...attachment('attached', 'node-2'),
  status: { attached: true, detachError: { message: 'busy' } },
}
const stuck = { ...stillAttached, metadata: { ...stillAttached.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }
const leavingVolume: PodWish = {
  ...wish,
  volume: {
    ...wish.volume,
    persistentVolume: { ...persistent, metadata: { name: 'v1', deletionTimestamp: '2030-01-01T00:00:00Z' } },
  },
}
const withModes = (...accessModes: readonly AccessMode[]): PodWish => ({
  ...wish,
  volume: { ...wish.volume, spec: { ...spec, accessModes } },
})
const { persistentVolume: _none, ...inLineVolume } = wish.volume
const inLine: PodWish = { ...wish, pod: pod('web', 'team'), volume: inLineVolume }
const detachFailed = { ...attachment('leaving'), status: { attached: true, detachError: { message: 'busy' } } }
const silence = (verb: string): string =>
  `timed out waiting for external-attacher of ${DRIVER} CSI driver to ${verb} volume h1`
const created = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: NAME },
  spec: { attacher: DRIVER, nodeName: NODE, source: { persistentVolumeName: 'v1' } },
}
const waitingSinceMs = 1_000_000 - 250_000

const wholes: [behaviour: string, given: Given, step: object][] = [
  ['the attachment names driver, node and volume', { wishes: wanted }, { kind: 'create', attachment: created }],
  [
    'the attachment of a volume in a pod has the volume in it, and the namespace of the pod',
    { wishes: [inLine] },
    {
      kind: 'create',
      attachment: {
        ...created,
        metadata: { name: NAME, annotations: { 'attach-detach.holdfast.dev/namespace': 'team' } },
        spec: { attacher: DRIVER, nodeName: NODE, source: { inlineVolumeSpec: spec } },
      },
    },
  ],
  [
    'a missing node counts before a volume that is leaving',
    { wishes: [leavingVolume], node: undefined },
    { kind: 'wait', reason: REASONS.NodeMissing(NODE) },
  ],
  [
    'a node that is not managed counts before an attachment',
    { wishes: wanted, node: node({ managed: false }), attachment: attachment('new') },
    { kind: 'wait', reason: REASONS.NodeNotManaged(NODE) },
  ],
  [
    'what is being created counts before a volume that is leaving',
    { wishes: [leavingVolume], held: { create: { kind: 'sending' } } },
    { kind: 'wait', reason: REASONS.AttachmentUnseen(NAME) },
  ],
  [
    'a volume that is leaving is not attached, and the pod is told',
    { wishes: [leavingVolume] },
    { kind: 'wait', reason: REASONS.VolumeLeaving('v1'), ...toldPods(REASONS.VolumeLeaving('v1').message ?? '') },
  ],
  [
    'a volume that is elsewhere: the first who has it is named',
    { wishes: wanted, elsewhere: [...elsewhere, { name: 'third', nodeName: 'node-3' }], otherPods: [pod('old')] },
    {
      kind: 'wait',
      reason: REASONS.AttachedElsewhere('other', 'node-2', 'v1'),
      warning: { about: 'pods', round: 0, text: multiAttachText('v1', pod('web'), [pod('old')]) },
    },
  ],
  [
    'a volume that does not come off: the error is told',
    { wishes: wanted, elsewhere: [{ name: 'other', nodeName: 'node-2', attachment: stuck }] },
    {
      kind: 'wait',
      reason: REASONS.AttachedElsewhere('other', 'node-2', 'v1'),
      ...toldPods('failed to detach the volume from node node-2: busy'),
    },
  ],
  [
    'an error of a former detach does not count while nobody detaches',
    { wishes: wanted, elsewhere: [{ name: 'other', nodeName: 'node-2', attachment: stillAttached }] },
    {
      kind: 'wait',
      reason: REASONS.AttachedElsewhere('other', 'node-2', 'v1'),
      warning: { about: 'pods', round: 0, text: multiAttachText('v1', pod('web'), []) },
    },
  ],
  [
    'a volume that is being detached elsewhere without an error',
    { wishes: wanted, elsewhere: [{ name: 'other', nodeName: 'node-2', attachment: attachment('leaving', 'node-2') }] },
    {
      kind: 'wait',
      reason: REASONS.AttachedElsewhere('other', 'node-2', 'v1'),
      warning: { about: 'pods', round: 0, text: multiAttachText('v1', pod('web'), []) },
    },
  ],
  [
    'a detach under way is told',
    { wishes: wanted, attachment: attachment('leaving') },
    { kind: 'wait', reason: REASONS.DetachUnderWay(NAME), ...toldPods('volume attachment is being deleted') },
  ],
  [
    'an error is told with its round, and waited for',
    { wishes: wanted, attachment: attachment('failed'), held: { waitingSinceMs } },
    {
      kind: 'wait',
      reason: REASONS.AttachFailed(DRIVER, { attachment: NAME, error: 'no room' }),
      retryInMs: 110_000,
      ...toldPods('no room', 2),
    },
  ],
  [
    'an error is told at once',
    { wishes: wanted, attachment: attachment('failed') },
    {
      kind: 'wait',
      reason: REASONS.AttachFailed(DRIVER, { attachment: NAME, error: 'no room' }),
      ...toldPods('no room'),
    },
  ],
  [
    'an attacher that keeps silent is not told of in the first round',
    { wishes: wanted, attachment: attachment('new'), held: { waitingSinceMs: 990_000 } },
    { kind: 'wait', reason: REASONS.AwaitingAttacher(DRIVER, NAME), retryInMs: 110_000 },
  ],
  [
    'an attacher that keeps silent is told of in the next round',
    { wishes: wanted, attachment: attachment('new'), held: { waitingSinceMs: 1_000_000 - 120_000 } },
    {
      kind: 'wait',
      reason: REASONS.AwaitingAttacher(DRIVER, NAME),
      retryInMs: 120_000,
      ...toldPods(silence('attach'), 1),
    },
  ],
  [
    'an attachment that is leaving is waited for though a deletion was sent',
    { attachment: attachment('leaving'), held: { deletion: 'sent' } },
    { kind: 'wait', reason: REASONS.Detaching(DRIVER) },
  ],
  [
    'a deletion that was sent is sent again, whatever the node says',
    { attachment: attachment('attached'), node: node({ inUse: true }), held: { deletion: 'sent' } },
    { kind: 'delete', attachment: attachment('attached') },
  ],
  [
    'a node that uses it counts before a status that is unsure',
    { attachment: attachment('attached'), node: node({ inUse: true }), held: { isStatusUnsure: true } },
    { kind: 'wait', reason: REASONS.VolumeInUse(NODE, { volume: VOLUME, nodeIsHealthy: 'true' }) },
  ],
  [
    'a status that is unsure counts before what it says',
    { attachment: attachment('attached'), node: node({ reported: true }), held: { isStatusUnsure: true } },
    { kind: 'wait', reason: REASONS.NodeStatusBeingWritten(NODE) },
  ],
  [
    'what is deleted without force does not say so',
    { attachment: attachment('attached') },
    { kind: 'delete', attachment: attachment('attached') },
  ],
  [
    'an error of the detach is left to the attacher to tell',
    { attachment: detachFailed, held: { waitingSinceMs } },
    { kind: 'wait', reason: REASONS.Detaching(DRIVER, { error: 'busy' }) },
  ],
  [
    'a detach is waited for in silence at first',
    { attachment: attachment('leaving'), held: { waitingSinceMs: 990_000 } },
    { kind: 'wait', reason: REASONS.Detaching(DRIVER), retryInMs: 110_000 },
  ],
  [
    'a detach that takes long is told at the attachment',
    { attachment: attachment('leaving'), held: { waitingSinceMs: 1_000_000 - 120_000 } },
    {
      kind: 'wait',
      reason: REASONS.Detaching(DRIVER),
      retryInMs: 120_000,
      warning: { about: 'attachment', round: 1, text: silence('detach') },
    },
  ],
]
for (const [behaviour, given, step] of wholes)
  test(behaviour, () => deepEqual(whole(nextAttachmentStep(view(given))), step))

test('a detach that takes long is told by the name of the volume when the handle is not known', () => {
  const { uniqueName: _unknown, ...seen } = view({ attachment: attachment('leaving') }).seen
  const named = whole(
    nextAttachmentStep({ seen, held: { nowMs: 1_000_000, timeoutMs: 120_000, isStatusUnsure: false, waitingSinceMs } }),
  )
  deepEqual(named, {
    kind: 'wait',
    reason: REASONS.Detaching(DRIVER),
    retryInMs: 110_000,
    warning: { about: 'attachment', round: 2, text: silence('detach').replace('h1', 'v1') },
  })
})

for (const [modes, isExclusive] of [
  [['ReadWriteOnce'], true],
  [['ReadWriteOnce', 'ReadWriteOncePod'], true],
  [['ReadWriteOnce', 'ReadOnlyMany'], false],
  [['ReadWriteMany'], false],
  [[], false],
] as const) {
  test(`a volume with access modes [${modes.join(', ')}] may ${isExclusive ? 'not ' : ''}be on two nodes`, () =>
    equal(
      brief(nextAttachmentStep(view({ wishes: [withModes(...modes)], elsewhere }))),
      isExclusive ? 'wait AttachedElsewhere' : 'create',
    ))
}

test('a detach that takes long is told without a name when nothing is known of the volume', () => {
  const { uniqueName: _unknown, ...seen } = view({
    attachment: { ...attachment('leaving'), spec: { attacher: DRIVER, nodeName: NODE, source: {} } },
  }).seen
  const step = nextAttachmentStep({
    seen,
    held: { nowMs: 1_000_000, timeoutMs: 120_000, isStatusUnsure: false, waitingSinceMs },
  })
  deepEqual(step.kind === 'wait' && step.warning, {
    about: 'attachment',
    round: 2,
    text: silence('detach').replace('h1', ''),
  })
})
