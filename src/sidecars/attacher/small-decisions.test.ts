import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccessMode } from '../../api/kinds/persistent-volume.ts'
import { VolumeCapability_AccessMode_Mode as Mode } from '../../csi/generated/csi/v1/csi.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { nodeOf, volumeOf } from '../../testing/objects.ts'
import { accessModeOf } from '../../storage/volume-capability.ts'
import { attacherFinalizer } from '../attacher-finalizer.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import { findNodeId } from './attach-view.ts'
import type { NodeRecords } from './attach-view.ts'
import { nextReleaseStep } from './next-release-step.ts'
import { nextTrivialStep } from './next-attach-step.ts'
import { REASONS } from './reasons.ts'
import { createVolumeError, cutMessage } from './attachment-writer.ts'

describe('access modes', () => {
  const cases: [
    modes: AccessMode[],
    plain: keyof typeof Mode | undefined,
    multiWriter: keyof typeof Mode | undefined,
  ][] = [
    [['ReadWriteOncePod'], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_SINGLE_WRITER'],
    [['ReadWriteOncePod', 'ReadWriteOnce'], undefined, undefined],
    [['ReadWriteMany'], 'MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
    [['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'], 'MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
    [['ReadOnlyMany', 'ReadWriteOnce'], undefined, undefined],
    [['ReadOnlyMany'], 'MULTI_NODE_READER_ONLY', 'MULTI_NODE_READER_ONLY'],
    [['ReadWriteOnce'], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_MULTI_WRITER'],
    [[], undefined, undefined],
  ]
  for (const [modes, plain, multiWriter] of cases) {
    test(`${modes.join('+') || 'none'}: ${plain ?? 'refused'}`, () => {
      equal(accessModeOf(modes, false), plain && Mode[plain])
      equal(accessModeOf(modes, true), multiWriter && Mode[multiWriter])
    })
  }
})

describe('the id of a node', () => {
  const csiNode = (nodeID: string): NodeRecords => ({
    csiNode: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'n' },
      spec: { drivers: [{ name: 'd', nodeID, topologyKeys: null }] },
    },
  })
  const info = (members: Partial<CSINodeInfo>): NodeRecords => ({
    csiNodeInfo: {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'n' },
      ...members,
    },
  })
  const node = (text: string): NodeRecords => ({
    node: nodeOf('n', { metadata: { annotations: { 'csi.volume.kubernetes.io/nodeid': text } } }),
  })
  const cases: [behaviour: string, records: NodeRecords, id: string | undefined][] = [
    ['comes from CSINode', csiNode('a'), 'a'],
    ['S3-71: comes from CSINodeInfo', info({ csiDrivers: [{ driver: 'd', nodeID: 'b' }] }), 'b'],
    [
      'S3-71: comes from CSINodeInfo in the shape of the first release',
      info({ spec: { drivers: [{ name: 'd', nodeID: 'b' }] }, status: { drivers: [{ name: 'd' }] } }),
      'b',
    ],
    ['S3-70: comes from the annotation of the node', node('{"d":"c","e":"x"}'), 'c'],
    [
      'comes from CSINode rather than from the others',
      { ...node('{"d":"c"}'), ...info({ csiDrivers: [{ name: 'd', nodeID: 'b' }] }), ...csiNode('a') },
      'a',
    ],
    ['is sought further where CSINode has none', { ...node('{"d":"c"}'), ...csiNode('') }, 'c'],
    ['is unknown where another driver is registered', node('{"e":"x"}'), undefined],
    ['is unknown where the annotation is no JSON', node('{'), undefined],
    ['is unknown where the annotation holds no text', node('{"d":1}'), undefined],
    ['is unknown where the list is null', info({ csiDrivers: null }), undefined],
    ['is unknown where nothing is registered', {}, undefined],
  ]
  for (const [behaviour, records, id] of cases) test(behaviour, () => equal(findNodeId(records, 'd'), id))
})

test('the finalizer has the name that upstream gives it', () => {
  equal(attacherFinalizer('hostpath.csi.k8s.io'), 'external-attacher/hostpath-csi-k8s-io')
  equal(attacherFinalizer('my_driver.'), 'external-attacher/my-driver-X')
})

describe('the message of an error', () => {
  test('S3-99: is kept with its time, and the code where the driver gave one', () => {
    const error = createVolumeError('no room', Date.UTC(2030, 0, 1), new CsiError('RESOURCE_EXHAUSTED', 'no room'))
    equal(JSON.stringify(error), '{"time":"2030-01-01T00:00:00Z","message":"no room","errorCode":8}')
    equal(createVolumeError('no secret', 0).errorCode, undefined)
  })
  test('is cut at 1024 bytes, between characters', () => {
    equal(cutMessage('x'.repeat(1024)).length, 1024)
    for (const character of ['x', 'ü', '€', '😀']) {
      for (let shift = 0; shift < 4; shift++) {
        const cut = cutMessage('a'.repeat(shift) + character.repeat(1100))
        const bytes = Buffer.byteLength(cut)
        equal(bytes <= 1024 && bytes > 1024 - 8, true, `${bytes} bytes`)
        equal(cut.includes('\uFFFD'), false)
      }
    }
  })
})

describe('the finalizer of a volume', () => {
  const attachment = (metadata = {}) =>
    ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'a1', ...metadata },
      spec: { attacher: 'd', nodeName: 'n', source: {} },
    }) as const
  const volume = (metadata = {}) => volumeOf({ metadata: { finalizers: ['f'], ...metadata } })
  const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
  const cases: [behaviour: string, view: Parameters<typeof nextReleaseStep>[0], step: string][] = [
    [
      'is not ours to remove where it is not',
      { seen: { volume: volume({ finalizers: ['other'] }), attachments: [] }, held: { keptForMs: 0 } },
      'wait NotHeld',
    ],
    [
      'S3-76: stays while an attachment names the volume, whoever attaches it',
      { seen: { volume: volume(leaving), attachments: [attachment()] } },
      'wait VolumeInUse',
    ],
    [
      'S3-76: goes at once when the volume is being deleted',
      { seen: { volume: volume(leaving), attachments: [] } },
      'release',
    ],
    [
      'stays a while after the last detach',
      { seen: { volume: volume(), attachments: [] }, held: { keptForMs: 5000 } },
      'wait KeptForNextAttach 5000',
    ],
    [
      'S3-76: goes after that while',
      { seen: { volume: volume(), attachments: [] }, held: { keptForMs: 0 } },
      'release',
    ],
    [
      'stays on a volume that was not attached yet',
      { seen: { volume: volume(), attachments: [] }, held: {} },
      'wait KeptForNextAttach',
    ],
    [
      'is not known to leave when asked from outside',
      { seen: { volume: volume(), attachments: [] } },
      'wait KeptForNextAttach',
    ],
  ]
  for (const [behaviour, view, expected] of cases) {
    test(behaviour, () => {
      const step = nextReleaseStep(view, 'f')
      equal(
        step.kind === 'release'
          ? 'release'
          : `wait ${step.reason.code}${step.retryInMs === undefined ? '' : ` ${step.retryInMs}`}`,
        expected,
      )
    })
  }

  const finalizers = [attacherFinalizer('d')]
  const trivial: [
    behaviour: string,
    seen: { attachment: Parameters<typeof nextTrivialStep>[0]['seen']['attachment'] },
    kind: string,
  ][] = [
    ['S3-67: a driver without attaching has its attachments acknowledged', { attachment: attachment() }, 'acknowledge'],
    ['and only once', { attachment: { ...attachment(), status: { attached: true } } }, 'wait'],
    ['and does not keep them', { attachment: attachment(leaving) }, 'wait'],
    [
      'and gives up what it kept when it could attach',
      { attachment: attachment({ ...leaving, finalizers }) },
      'release',
    ],
    [
      'but not before it is deleted',
      { attachment: { ...attachment({ finalizers }), status: { attached: true } } },
      'wait',
    ],
  ]
  for (const [behaviour, seen, kind] of trivial) test(behaviour, () => equal(nextTrivialStep({ seen }).kind, kind))
})

test('the attachment that keeps a volume is named, and the time until it is released is kept to the millisecond', () => {
  const volume = volumeOf({ metadata: { finalizers: ['f'] } })
  const attachment = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'a1' },
    spec: { attacher: 'd', nodeName: 'n', source: {} },
  } as const
  deepEqual(nextReleaseStep({ seen: { volume, attachments: [attachment] } }, 'f'), {
    kind: 'wait',
    reason: REASONS.VolumeInUse('a1'),
  })
  deepEqual(nextReleaseStep({ seen: { volume, attachments: [] }, held: { keptForMs: 1 } }, 'f'), {
    kind: 'wait',
    reason: REASONS.KeptForNextAttach,
    retryInMs: 1,
  })
})
