import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { VolumeGroupSnapshotClass, VolumeGroupSnapshotContent } from '../../api/kinds/volume-group-snapshot.ts'
import type { GroupContentHeld, GroupContentView } from './group-content-view.ts'
import { nextGroupContentStep } from './next-group-content-step.ts'
import type { GroupContentStep } from './next-group-content-step.ts'

const CREATED = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created'
const DELETED = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted'
const FINALIZER = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection'
const SECRET = {
  'groupsnapshot.storage.kubernetes.io/deletion-secret-name': 'pass',
  'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace': 'vault',
}
const BROUGHT = { groupSnapshotHandles: { volumeGroupSnapshotHandle: 'g', volumeSnapshotHandles: ['s1', 's2'] } }

type Given = {
  annotations?: Record<string, string>
  leaving?: boolean
  finalizers?: readonly string[]
  spec?: Partial<VolumeGroupSnapshotContent['spec']>
  status?: VolumeGroupSnapshotContent['status']
  groupClass?: Partial<VolumeGroupSnapshotClass> | false
  held?: Partial<GroupContentHeld>
}

function viewOf(given: Given): GroupContentView {
  const { annotations = {}, leaving, finalizers = [FINALIZER], spec, status, groupClass, held } = given
  const content: VolumeGroupSnapshotContent = {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotContent',
    metadata: {
      name: 'c1',
      annotations,
      finalizers,
      ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: {
      driver: 'd',
      deletionPolicy: 'Delete',
      volumeGroupSnapshotClassName: 'groups',
      source: { volumeHandles: ['v1', 'v2'] },
      volumeGroupSnapshotRef: { namespace: 'shop', name: 'monday', uid: 'u-1' },
      ...spec,
    },
    ...(status ? { status } : {}),
  }
  const found: VolumeGroupSnapshotClass = {
    apiVersion: 'groupsnapshot.storage.k8s.io/v1',
    kind: 'VolumeGroupSnapshotClass',
    metadata: { name: 'groups' },
    driver: 'd',
    deletionPolicy: 'Delete',
    ...groupClass,
  }
  const names = { prefix: 'groupsnapshot', uuidLength: -1 }
  return {
    seen: { content, ...(groupClass === false ? {} : { groupClass: found }) },
    held: { nowMs: 1000, canTakeGroups: true, names, passesMetadata: false, ...held },
  }
}

const failed = (call: 'create' | 'check' | 'delete', outcome: 'in-doubt' | 'final', retryAtMs = 5000) => ({
  memory: { kind: 'failed', call, outcome, message: 'full', count: 1, retryAtMs } as const,
})
const summarize = (step: GroupContentStep): string => {
  switch (step.kind) {
    case 'wait':
      return `wait ${step.reason.code}${step.retryInMs === undefined ? '' : ` ${step.retryInMs}`}`
    case 'refuse':
      return `refuse ${step.call} ${step.reason.code}`
    case 'read-secret':
      return `read-secret ${step.ref.namespace}/${step.ref.name}`
    case 'create':
      return `create ${step.request.name} of ${step.request.sourceVolumeIds.join('+')}`
    case 'check':
    case 'delete':
      return `${step.kind} ${step.groupHandle} with ${step.snapshotHandles.join('+')}`
    default:
      return step.kind
  }
}

const UNBOUND = { volumeGroupSnapshotRef: { namespace: 'a', name: 'b' } }
const UNCLASSED = { volumeGroupSnapshotClassName: undefined as never }
const noted = { annotations: { [CREATED]: 'yes' } }
const going = { leaving: true, annotations: { [DELETED]: 'yes' } }
const done = {
  volumeGroupSnapshotHandle: 'g',
  readyToUse: true,
  volumeSnapshotInfoList: [
    { volumeHandle: 'v1', snapshotHandle: 's1' },
    { volumeHandle: 'v2', snapshotHandle: 's2' },
  ],
}
const cases: Record<string, [behaviour: string, given: Given, step: string][]> = {
  'taking a group': [
    ['notes first that the driver is about to be asked', {}, 'mark-being-created'],
    ['asks for all volumes under one name', noted, 'create groupsnapshot-u-1 of v1+v2'],
    ['asks again until it is ready', { ...noted, status: { readyToUse: false } }, 'create groupsnapshot-u-1 of v1+v2'],
    [
      'waits for the VolumeGroupSnapshot',
      { spec: { volumeGroupSnapshotRef: { namespace: 'a', name: 'b' } } },
      'wait GroupContentNotBound',
    ],
    ['needs its class', { groupClass: false }, 'refuse create GroupSnapshotClassMissing'],
    [
      'refuses reserved parameters that nobody knows',
      { groupClass: { parameters: { 'csi.storage.k8s.io/nope': 'x' } } },
      'refuse create GroupParametersInvalid',
    ],
    ['says so if the driver cannot', { held: { canTakeGroups: false } }, 'refuse create GroupSnapshotsNotSupported'],
    ['reads the secret first', { annotations: SECRET }, 'read-secret vault/pass'],
    [
      'does not take one without its secret',
      { annotations: SECRET, held: { secret: { kind: 'missing' } } },
      'refuse create SecretMissing',
    ],
    ['waits after a failure', { ...noted, held: failed('create', 'final') }, 'wait RetryingSnapshot 4000'],
    [
      'waits after a failure, whatever else it lacks',
      { spec: UNBOUND, held: failed('create', 'final') },
      'wait RetryingSnapshot 4000',
    ],
    [
      'waits for the VolumeGroupSnapshot before it says what the driver cannot',
      { spec: UNBOUND, held: { canTakeGroups: false } },
      'wait GroupContentNotBound',
    ],
    ['needs the name of a class', { spec: UNCLASSED }, 'refuse create GroupSnapshotClassNotNamed'],
    [
      'says that the driver cannot before it asks for a class',
      { spec: UNCLASSED, held: { canTakeGroups: false } },
      'refuse create GroupSnapshotsNotSupported',
    ],
    [
      'names it as the flags say',
      { ...noted, held: { names: { prefix: 'p', uuidLength: 2 } } },
      'create p-u1 of v1+v2',
    ],
    [
      'waits between looks',
      { ...noted, held: { memory: { kind: 'polling', count: 1, retryAtMs: 1500 } } },
      'wait SnapshotNotReady 500',
    ],
    ['removes the note at the end', { ...noted, status: done }, 'unmark-being-created'],
    ['is over when it is ready', { status: done }, 'wait GroupSnapshotReady'],
  ],
  'a group snapshot that was brought': [
    ['is checked with its members', { spec: { source: BROUGHT } }, 'check g with s1+s2'],
    [
      'is checked without a class',
      { spec: { source: BROUGHT, ...UNCLASSED }, groupClass: false },
      'check g with s1+s2',
    ],
    [
      'waits after a failed check, also if the driver cannot',
      { spec: { source: BROUGHT }, held: { canTakeGroups: false, ...failed('check', 'final') } },
      'wait RetryingSnapshot 4000',
    ],
    [
      'may not name half a secret',
      {
        spec: { source: BROUGHT },
        groupClass: { parameters: { 'csi.storage.k8s.io/group-snapshotter-get-secret-name': 'get' } },
      },
      'refuse check GroupSecretReferenceInvalid',
    ],
    [
      'needs the class that it names',
      { spec: { source: BROUGHT }, groupClass: false },
      'refuse check GroupSnapshotClassMissing',
    ],
    [
      'is checked with the secret of its class',
      {
        spec: { source: BROUGHT },
        groupClass: {
          parameters: {
            'csi.storage.k8s.io/group-snapshotter-get-secret-name': 'get-${volumegroupsnapshotcontent.name}',
            'csi.storage.k8s.io/group-snapshotter-get-secret-namespace': 'vault',
          },
        },
      },
      'read-secret vault/get-c1',
    ],
    [
      'says so if the driver cannot',
      { spec: { source: BROUGHT }, held: { canTakeGroups: false } },
      'refuse check GroupSnapshotsNotSupported',
    ],
  ],
  'deleting a group': [
    ['waits for the VolumeGroupSnapshot', { leaving: true, status: done }, 'wait GroupSnapshotStillThere'],
    ['deletes the group with all its members', { ...going, status: done }, 'delete g with s1+s2'],
    [
      'deletes what was brought with the members that were named',
      { ...going, spec: { source: BROUGHT }, status: { volumeGroupSnapshotHandle: 'g', readyToUse: true } },
      'delete g with s1+s2',
    ],
    ['keeps what is retained', { ...going, status: done, spec: { deletionPolicy: 'Retain' } }, 'release'],
    [
      'lets go once the driver has deleted it',
      { ...going, status: done, held: { memory: { kind: 'deleted' } } },
      'release',
    ],
    ['lets go what the driver never had', going, 'release'],
    [
      'goes on asking while the outcome is unknown',
      { ...going, annotations: { [DELETED]: 'yes', [CREATED]: 'yes' } },
      'create groupsnapshot-u-1 of v1+v2',
    ],
    [
      'deletes what a call has taken, although the note is still there',
      {
        ...going,
        annotations: { [DELETED]: 'yes', [CREATED]: 'yes' },
        status: { ...done, readyToUse: false },
        held: failed('create', 'final'),
      },
      'delete g with s1+s2',
    ],
    [
      'goes on taking one while only the content is to be deleted',
      { leaving: true, held: failed('create', 'final', 0) },
      'mark-being-created',
    ],
    [
      'waits for the VolumeGroupSnapshot of one that was brought',
      { leaving: true, spec: { source: BROUGHT }, status: done },
      'wait GroupSnapshotStillThere',
    ],
    [
      'does not delete what was taken for a VolumeGroupSnapshot that is unknown',
      { leaving: true, spec: UNBOUND, status: done },
      'wait GroupSnapshotStillThere',
    ],
    [
      'reads the secret first',
      { leaving: true, annotations: { [DELETED]: 'yes', ...SECRET }, status: done },
      'read-secret vault/pass',
    ],
    [
      'deletes the only member',
      { ...going, status: { ...done, volumeSnapshotInfoList: [{ volumeHandle: 'v1', snapshotHandle: 's1' }] } },
      'delete g with s1',
    ],
    [
      'gives up what the driver has finally refused',
      { ...going, annotations: { [DELETED]: 'yes', [CREATED]: 'yes' }, held: failed('create', 'final') },
      'unmark-being-created',
    ],
    [
      'lets go one that was brought and never bound',
      { leaving: true, spec: { source: BROUGHT, volumeGroupSnapshotRef: { namespace: 'a', name: 'b' } } },
      'release',
    ],
    [
      'waits after a failure',
      { ...going, status: done, held: failed('delete', 'final') },
      'wait RetryingSnapshot 4000',
    ],
    [
      'does not need a secret that is gone',
      {
        leaving: true,
        annotations: { [DELETED]: 'yes', ...SECRET },
        status: done,
        held: { secret: { kind: 'missing' } },
      },
      'delete g with s1+s2',
    ],
    ['is over without our finalizer', { ...going, status: done, finalizers: [] }, 'wait Released'],
  ],
}
for (const [topic, list] of Object.entries(cases))
  describe(topic, () => {
    for (const [behaviour, given, step] of list)
      test(behaviour, () => equal(summarize(nextGroupContentStep(viewOf(given))), step))
  })

test('an answer is recorded before anything else', () => {
  const answer = { groupHandle: 'g', creationTimeMs: 1, isReady: true, members: [] }
  deepEqual(nextGroupContentStep(viewOf({ ...going, held: { memory: { kind: 'answered', answer, polls: 0 } } })), {
    kind: 'record',
    answer,
  })
})

test('names of group and content are passed to the driver if that is asked for', () => {
  const step = nextGroupContentStep(
    viewOf({ ...noted, groupClass: { parameters: { tier: 'gold' } }, held: { passesMetadata: true } }),
  )
  deepEqual(step.kind === 'create' && step.request.parameters, {
    tier: 'gold',
    'csi.storage.k8s.io/volumegroupsnapshot/name': 'monday',
    'csi.storage.k8s.io/volumegroupsnapshot/namespace': 'shop',
    'csi.storage.k8s.io/volumegroupsnapshotcontent/name': 'c1',
  })
})

test('without that, the driver gets the parameters of the class alone', () => {
  const step = nextGroupContentStep(viewOf({ ...noted, groupClass: { parameters: { tier: 'gold' } } }))
  deepEqual(step.kind === 'create' && step.request.parameters, { tier: 'gold' })
})
