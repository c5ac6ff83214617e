import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { ContentHeld, ContentView, SnapshotAnswer } from './content-view.ts'
import { snapshotNameOf } from './driver-call.ts'
import type { CallMemory } from './driver-call.ts'
import { nextContentStep } from './next-content-step.ts'
import type { ContentStep } from './next-content-step.ts'

const CREATED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-created'
const DELETED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted'
const FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'
const SECRET = {
  'snapshot.storage.kubernetes.io/deletion-secret-name': 'pass',
  'snapshot.storage.kubernetes.io/deletion-secret-namespace': 'vault',
}

type Given = {
  annotations?: Record<string, string>
  leaving?: boolean
  finalizers?: readonly string[]
  spec?: Partial<VolumeSnapshotContent['spec']>
  status?: VolumeSnapshotContent['status']
  snapshotClass?: Partial<VolumeSnapshotClass> | false
  held?: Partial<ContentHeld>
}

function viewOf({
  annotations = {},
  leaving,
  finalizers = [FINALIZER],
  spec,
  status,
  snapshotClass,
  held,
}: Given): ContentView {
  const content: VolumeSnapshotContent = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: {
      name: 'c1',
      annotations,
      finalizers,
      ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: {
      driver: 'd',
      deletionPolicy: 'Delete',
      volumeSnapshotClassName: 'snaps',
      source: { volumeHandle: 'v1' },
      volumeSnapshotRef: { namespace: 'shop', name: 'monday', uid: 'u-1' },
      ...spec,
    },
    ...(status ? { status } : {}),
  }
  const found: VolumeSnapshotClass = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'snaps' },
    driver: 'd',
    deletionPolicy: 'Delete',
    ...snapshotClass,
  }
  const names = { prefix: 'snapshot', uuidLength: -1 }
  return {
    seen: { content, ...(snapshotClass === false ? {} : { snapshotClass: found }) },
    held: { nowMs: 1000, canList: true, names, passesMetadata: false, ...held },
  }
}

const failed = (
  call: 'create' | 'check' | 'delete',
  outcome: 'in-doubt' | 'final' = 'final',
  retryAtMs = 0,
): { memory: CallMemory<SnapshotAnswer> } => ({
  memory: { kind: 'failed', call, outcome, message: 'no', count: 1, retryAtMs },
})
const summarize = (step: ContentStep): string => {
  switch (step.kind) {
    case 'wait':
      return `wait ${step.reason.code}${step.retryInMs === undefined ? '' : ` ${step.retryInMs}`}`
    case 'refuse':
      return `refuse ${step.call} ${step.reason.code}`
    case 'read-secret':
      return `read-secret ${step.ref.namespace}/${step.ref.name}`
    case 'create':
      return `create ${step.request.name} of ${step.request.sourceVolumeId} ${JSON.stringify(step.request.parameters)}`
    case 'check':
    case 'delete':
      return `${step.kind} ${step.snapshotHandle}`
    default:
      return step.kind
  }
}

const ready = { snapshotHandle: 's1', readyToUse: true }
const marked = { [CREATED]: 'yes' }
const byHand = { spec: { source: { snapshotHandle: 's1' } } }
const answered = (isReady: boolean): { memory: CallMemory<SnapshotAnswer> } => ({
  memory: { kind: 'answered', answer: { snapshotHandle: 's1', creationTimeNs: 1n, sizeBytes: 1n, isReady }, polls: 0 },
})
const member = {
  annotations: { 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle': 'g' },
  status: { snapshotHandle: 's1', readyToUse: false },
}
const going = { leaving: true, annotations: { [DELETED]: 'yes' } }

const cases: Record<string, [behaviour: string, given: Given, step: string][]> = {
  'taking a snapshot': [
    ['is noted on the content before the driver is called', {}, 'mark-being-created'],
    ['then calls the driver under a name of its own', { annotations: marked }, 'create snapshot-u-1 of v1 {}'],
    [
      'passes the parameters of the class, without the secrets',
      {
        annotations: marked,
        snapshotClass: { parameters: { a: 'b', 'csi.storage.k8s.io/snapshotter-secret-name': 'x' } },
      },
      'create snapshot-u-1 of v1 {"a":"b"}',
    ],
    [
      'refuses a reserved parameter that nobody knows',
      { snapshotClass: { parameters: { 'csi.storage.k8s.io/typo': 'x' } } },
      'refuse create ParametersInvalid',
    ],
    [
      'passes names if it should',
      { annotations: marked, held: { passesMetadata: true } },
      'create snapshot-u-1 of v1 {"csi.storage.k8s.io/volumesnapshot/name":"monday","csi.storage.k8s.io/volumesnapshot/namespace":"shop","csi.storage.k8s.io/volumesnapshotcontent/name":"c1"}',
    ],
    ['needs a class', { spec: { volumeSnapshotClassName: undefined as never } }, 'refuse create SnapshotClassNotNamed'],
    ['needs the class to exist', { snapshotClass: false }, 'refuse create SnapshotClassMissing'],
    [
      'needs a VolumeSnapshot',
      { spec: { volumeSnapshotRef: { namespace: 'shop', name: 'monday' } } },
      'wait ContentNotBound',
    ],
    ['reads the secret first', { annotations: SECRET }, 'read-secret vault/pass'],
    [
      'goes on with the secret',
      { annotations: SECRET, held: { secret: { kind: 'read', values: {} } } },
      'mark-being-created',
    ],
    [
      'does not go on without it',
      { annotations: SECRET, held: { secret: { kind: 'missing' } } },
      'refuse create SecretMissing',
    ],
    [
      'waits after a failure',
      { annotations: marked, held: failed('create', 'final', 4000) },
      'wait RetryingSnapshot 3000',
    ],
    [
      'waits after a failure, whatever else it lacks',
      {
        spec: { volumeSnapshotRef: { namespace: 'shop', name: 'monday' } },
        held: failed('create', 'final', 4000),
      },
      'wait RetryingSnapshot 3000',
    ],
    [
      'needs a VolumeSnapshot before a class',
      {
        spec: { volumeSnapshotRef: { namespace: 'shop', name: 'monday' }, volumeSnapshotClassName: undefined as never },
      },
      'wait ContentNotBound',
    ],
    [
      'names it as the flags say',
      { annotations: marked, held: { names: { prefix: 'p', uuidLength: 2 } } },
      'create p-u1 of v1 {}',
    ],
    ['needs a source', { spec: { source: {} } }, 'wait MemberOfGroup'],
    ['records the answer', { annotations: marked, held: answered(true) }, 'record'],
    [
      'asks again while it is not ready',
      { annotations: marked, status: { snapshotHandle: 's1', readyToUse: false } },
      'create snapshot-u-1 of v1 {}',
    ],
    [
      'but not at once',
      {
        annotations: marked,
        status: { snapshotHandle: 's1', readyToUse: false },
        held: { memory: { kind: 'polling', count: 1, retryAtMs: 3000 } },
      },
      'wait SnapshotNotReady 2000',
    ],
    ['removes the note at the end', { annotations: marked, status: ready }, 'unmark-being-created'],
    ['has nothing to do when it is ready', { status: ready }, 'wait SnapshotReady'],
    [
      'is not for members of a group',
      { annotations: { 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle': 'g' } },
      'wait MemberOfGroup',
    ],
  ],
  'a snapshot that exists': [
    [
      'is checked',
      { spec: { source: { snapshotHandle: 's1' }, volumeSnapshotClassName: undefined as never } },
      'check s1',
    ],
    ['waits after a failed check', { ...byHand, held: failed('check', 'final', 4000) }, 'wait RetryingSnapshot 3000'],
    ['as a member of a group is checked without its class', { ...member, snapshotClass: false }, 'check s1'],
    [
      'as a member of a group is checked with its own secret',
      { ...member, annotations: { ...member.annotations, ...SECRET } },
      'read-secret vault/pass',
    ],
    [
      'as a member of a group waits after a failed check',
      { ...member, held: failed('check', 'final', 4000) },
      'wait RetryingSnapshot 3000',
    ],
    ['needs the class that it names', { ...byHand, snapshotClass: false }, 'refuse check SnapshotClassMissing'],
    [
      'is checked with the secret for listing',
      {
        ...byHand,
        snapshotClass: {
          parameters: {
            'csi.storage.k8s.io/snapshotter-list-secret-name': 'l',
            'csi.storage.k8s.io/snapshotter-list-secret-namespace': 'vault',
          },
        },
      },
      'read-secret vault/l',
    ],
    [
      'may not name half a secret',
      { ...byHand, snapshotClass: { parameters: { 'csi.storage.k8s.io/snapshotter-list-secret-name': 'l' } } },
      'refuse check SecretReferenceInvalid',
    ],
  ],
  deleting: [
    ['deletes the snapshot of the driver', { ...going, status: ready }, 'delete s1'],
    ['then lets the content go', { ...going, status: ready, held: { memory: { kind: 'deleted' } } }, 'release'],
    ['keeps a snapshot with policy Retain', { ...going, status: ready, spec: { deletionPolicy: 'Retain' } }, 'release'],
    ['has nothing to delete where nothing was taken', going, 'release'],
    ['waits for the VolumeSnapshot', { leaving: true, status: ready }, 'wait SnapshotStillThere'],
    [
      'does not wait for one that never was',
      {
        leaving: true,
        ...byHand,
        spec: { source: { snapshotHandle: 's1' }, volumeSnapshotRef: { namespace: 'shop', name: 'monday' } },
      },
      'release',
    ],
    [
      'finds out first whether a call has taken one',
      { leaving: true, annotations: { ...marked, [DELETED]: 'yes' } },
      'create snapshot-u-1 of v1 {}',
    ],
    [
      'deletes what a call has taken, although the note is still there',
      {
        leaving: true,
        annotations: { ...marked, [DELETED]: 'yes' },
        status: { snapshotHandle: 's1' },
        held: failed('create'),
      },
      'delete s1',
    ],
    [
      'goes on taking one while only the content is to be deleted',
      { leaving: true, held: failed('create') },
      'mark-being-created',
    ],
    [
      'waits for the VolumeSnapshot of a snapshot that exists',
      { leaving: true, ...byHand, status: ready },
      'wait SnapshotStillThere',
    ],
    [
      'does not delete what was taken for a VolumeSnapshot that is unknown',
      { leaving: true, status: ready, spec: { volumeSnapshotRef: { namespace: 'shop', name: 'monday' } } },
      'wait SnapshotStillThere',
    ],
    [
      'gives up when the driver has refused',
      { leaving: true, annotations: { ...marked, [DELETED]: 'yes' }, held: failed('create') },
      'unmark-being-created',
    ],
    [
      'does not give up while the outcome is unknown',
      { leaving: true, annotations: { ...marked, [DELETED]: 'yes' }, held: failed('create', 'in-doubt', 4000) },
      'wait RetryingSnapshot 3000',
    ],
    [
      'reads the secret first',
      { ...going, annotations: { [DELETED]: 'yes', ...SECRET }, status: ready },
      'read-secret vault/pass',
    ],
    [
      'does not need a secret that is gone',
      { ...going, annotations: { [DELETED]: 'yes', ...SECRET }, status: ready, held: { secret: { kind: 'missing' } } },
      'delete s1',
    ],
    [
      'waits after a failure',
      { ...going, status: ready, held: failed('delete', 'final', 4000) },
      'wait RetryingSnapshot 3000',
    ],
    [
      'leaves members of a group to their group',
      { ...going, status: { ...ready, volumeGroupSnapshotHandle: 'g' } },
      'release',
    ],
    ['is over without our finalizer', { ...going, finalizers: [], status: ready }, 'wait Released'],
  ],
}
for (const [topic, table] of Object.entries(cases))
  describe(topic, () => {
    for (const [behaviour, given, step] of table)
      test(behaviour, () => equal(summarize(nextContentStep(viewOf(given))), step))
  })

test('the name of a snapshot has the uid, or so many of its characters without dashes', () => {
  const uid = '1234-5678-9'
  deepEqual(
    [-1, 0, 6, 32].map((uuidLength) => snapshotNameOf(uid, { prefix: 'p', uuidLength })),
    ['p-1234-5678-9', 'p-', 'p-123456', 'p-123456789'],
  )
})
