import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { VolumeGroupSnapshot } from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import type { OwnerReference } from '../../api/object.ts'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import { nextSnapshotStep } from './next-snapshot-step.ts'
import type { SnapshotStep } from './next-snapshot-step.ts'
import { nextContentProtectionStep, nextSourceClaimStep } from './protection-controllers.ts'
import { REASONS } from './reasons.ts'
import type { SnapshotView } from './snapshot-view.ts'

const API = { apiVersion: 'snapshot.storage.k8s.io/v1' } as const
const DRIVER = 'test.holdfast.dev'
const AS_SOURCE = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection'
const BOUND = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'
const CONTENT = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'
const SOURCE = 'snapshot.storage.kubernetes.io/pvc-as-source-protection'
const DELETED = { 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted': 'yes' }

type ContentParts = {
  source?: VolumeSnapshotContent['spec']['source']
  policy?: 'Delete' | 'Retain'
  uid?: string
  name?: string
  namespace?: string
  createdAt?: string
  finalizers?: readonly string[]
  status?: VolumeSnapshotContent['status']
  annotations?: Record<string, string>
  leaving?: boolean
}
const contentOf = ({
  source = { volumeHandle: 'v1' },
  policy = 'Delete',
  uid = 'u1',
  name = 'monday',
  namespace = 'default',
  createdAt,
  finalizers = [CONTENT],
  status,
  annotations = {},
  leaving,
}: ContentParts = {}): VolumeSnapshotContent => ({
  ...API,
  kind: 'VolumeSnapshotContent',
  metadata: {
    name: 'snapcontent-u1',
    annotations,
    finalizers,
    ...(createdAt ? { creationTimestamp: createdAt } : {}),
    ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  },
  spec: { driver: DRIVER, deletionPolicy: policy, source, volumeSnapshotRef: { namespace, name, uid } },
  ...(status ? { status } : {}),
})
const classOf = (more: Partial<VolumeSnapshotClass> = {}): VolumeSnapshotClass => ({
  ...API,
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'snaps' },
  driver: DRIVER,
  deletionPolicy: 'Delete',
  ...more,
})

const OWNERS: readonly OwnerReference[] = [
  { apiVersion: 'groupsnapshot.storage.k8s.io/v1', kind: 'VolumeGroupSnapshot', name: 'weekly', uid: 'g1' },
]
const groupOf = ({ leaving = false }): VolumeGroupSnapshot => ({
  apiVersion: 'groupsnapshot.storage.k8s.io/v1',
  kind: 'VolumeGroupSnapshot',
  metadata: {
    namespace: 'default',
    name: 'weekly',
    uid: 'g1',
    ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  },
  spec: { source: { selector: {} } },
})

type Given = {
  spec?: VolumeSnapshot['spec']
  status?: VolumeSnapshot['status']
  finalizers?: readonly string[]
  leaving?: boolean
  content?: VolumeSnapshotContent
  snapshotClass?: Partial<VolumeSnapshotClass> | false
  defaultClasses?: readonly VolumeSnapshotClass[]
  claim?: Parameters<typeof claimOf>[0] | false
  volume?: Parameters<typeof volumeOf>[0] | false
  restoring?: PersistentVolumeClaim
  group?: { leaving?: boolean }
  owners?: readonly OwnerReference[]
  held?: SnapshotView['held']
}

function viewOf(given: Given): SnapshotView {
  const { finalizers = [AS_SOURCE, BOUND], held = { passesVolumeMode: true } } = given
  const snapshot: VolumeSnapshot = {
    ...API,
    kind: 'VolumeSnapshot',
    metadata: {
      namespace: 'default',
      name: 'monday',
      uid: 'u1',
      finalizers,
      ...(given.owners ? { ownerReferences: given.owners } : {}),
      ...(given.leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: given.spec ?? { source: { persistentVolumeClaimName: 'c1' }, volumeSnapshotClassName: 'snaps' },
    ...(given.status ? { status: given.status } : {}),
  }
  const held1 = { metadata: { finalizers: [SOURCE] }, spec: { volumeName: 'v1' }, status: { phase: 'Bound' } } as const
  return {
    seen: {
      snapshot,
      defaultClasses: given.defaultClasses ?? [],
      ...(given.content ? { content: given.content } : {}),
      ...(given.snapshotClass === false ? {} : { snapshotClass: classOf(given.snapshotClass) }),
      ...(given.claim === false ? {} : { claim: claimOf({ ...held1, ...given.claim }) }),
      ...(given.volume === false
        ? {}
        : { volume: volumeOf({ spec: { claimRef: reservedFor('c1', 'uid-c1') }, ...given.volume }) }),
      ...(given.restoring ? { restoring: given.restoring } : {}),
      ...(given.group ? { group: groupOf(given.group) } : {}),
    },
    held,
  }
}

const summarize = (step: SnapshotStep): string => {
  switch (step.kind) {
    case 'wait':
      return ['wait', step.reason.code, step.event, step.retryInMs].filter((part) => part !== undefined).join(' ')
    case 'refuse':
      return `refuse ${step.event} ${step.reason.code}${step.keepsReady ? ' and stays as ready as it was' : ''}`
    case 'set-class':
      return `set-class ${step.className}`
    case 'protect':
      return `protect ${step.finalizers.map((finalizer) => (finalizer === AS_SOURCE ? 'source' : 'bound')).join('+')}`
    case 'record':
      return `record ${JSON.stringify(step.status)}${step.removesError ? ' without its error' : ''}`
    default:
      return step.kind
  }
}

const byHand = { source: { volumeSnapshotContentName: 'snapcontent-u1' } }
const existing = { source: { snapshotHandle: 's1' } }
const ready = { boundVolumeSnapshotContentName: 'snapcontent-u1', readyToUse: true }
const member: Given = {
  owners: OWNERS,
  spec: { source: { persistentVolumeClaimName: 'c1' } },
  snapshotClass: false,
}
const inGroup = { snapshotHandle: 's1', readyToUse: true, volumeGroupSnapshotHandle: 'g' }
const cases: Record<string, [behaviour: string, given: Given, step: string][]> = {
  'a new snapshot': [
    ['is protected in one write', { finalizers: [] }, 'protect source+bound'],
    [
      'needs no second finalizer for a content that is kept',
      { finalizers: [], snapshotClass: { deletionPolicy: 'Retain' } },
      'protect source',
    ],
    [
      'needs its class',
      { snapshotClass: false },
      'refuse GetSnapshotClassFailed SnapshotClassMissing and stays as ready as it was',
    ],
    ['needs exactly one source', { spec: { source: {} } }, 'refuse SnapshotValidationError SourceInvalid'],
    [
      'needs exactly one source before its class',
      { spec: { source: {}, volumeSnapshotClassName: 'snaps' }, snapshotClass: false },
      'refuse SnapshotValidationError SourceInvalid',
    ],
    [
      'needs no class once it is ready',
      {
        snapshotClass: false,
        status: ready,
        content: contentOf({ status: { snapshotHandle: 's', readyToUse: true } }),
      },
      'wait SnapshotReady',
    ],
    [
      'is protected also when it is ready',
      { finalizers: [], status: ready, content: contentOf() },
      'protect source+bound',
    ],
    [
      'of a content that is not there needs no second finalizer',
      { finalizers: [], spec: { ...byHand, volumeSnapshotClassName: 'snaps' } },
      'protect source',
    ],
    [
      'of a content of another needs no second finalizer',
      { finalizers: [], content: contentOf({ uid: 'u2' }) },
      'protect source',
    ],
    ['needs the claim', { claim: false }, 'refuse SnapshotContentCreationFailed ClaimMissing'],
    [
      'needs a claim that is bound',
      { claim: { status: { phase: 'Pending' } } },
      'refuse SnapshotContentCreationFailed ClaimNotBound',
    ],
    [
      'needs a claim that names its volume',
      { claim: { spec: {}, status: { phase: 'Bound' } } },
      'refuse SnapshotContentCreationFailed ClaimNotBound',
    ],
    [
      'needs a volume of a CSI driver',
      { volume: { spec: { claimRef: reservedFor('c1', 'uid-c1'), csi: undefined as never } } },
      'refuse SnapshotContentCreationFailed VolumeNotCsi',
    ],
    [
      'needs the volume to be the claim’s before it needs a driver',
      { volume: { spec: { claimRef: reservedFor('c1', 'other'), csi: undefined as never } } },
      'refuse SnapshotContentCreationFailed VolumeOfOther',
    ],
    [
      'needs a class of the volume’s driver before it holds the claim',
      { snapshotClass: { driver: 'other' }, claim: { metadata: {}, spec: { volumeName: 'v1' } } },
      'refuse SnapshotContentCreationFailed SnapshotClassOfOther',
    ],
    ['needs the volume', { volume: false }, 'refuse SnapshotContentCreationFailed VolumeMissing'],
    [
      'needs the volume to be the claim’s',
      { volume: { spec: { claimRef: reservedFor('c1', 'other') } } },
      'refuse SnapshotContentCreationFailed VolumeOfOther',
    ],
    [
      'needs a class of the volume’s driver',
      { snapshotClass: { driver: 'other' } },
      'refuse SnapshotContentCreationFailed SnapshotClassOfOther',
    ],
    [
      'holds the claim first',
      { claim: { metadata: {}, spec: { volumeName: 'v1' }, status: { phase: 'Bound' } } },
      'hold-claim',
    ],
    [
      'cannot hold a claim that is being deleted',
      { claim: { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } } },
      'refuse SnapshotContentCreationFailed ClaimLeaving',
    ],
    ['then gets its content', {}, 'create-content'],
    [
      'may not name half a secret',
      { snapshotClass: { parameters: { 'csi.storage.k8s.io/snapshotter-secret-name': 'x' } } },
      'refuse SnapshotContentCreationFailed SecretReferenceInvalid',
    ],
  ],
  'the default class': [
    [
      'is the one of the volume’s driver',
      {
        spec: { source: { persistentVolumeClaimName: 'c1' } },
        snapshotClass: false,
        defaultClasses: [classOf({ driver: 'other', metadata: { name: 'x' } }), classOf()],
        finalizers: [AS_SOURCE],
      },
      'set-class snaps',
    ],
    [
      'has to be there',
      { spec: { source: { persistentVolumeClaimName: 'c1' } }, snapshotClass: false, finalizers: [AS_SOURCE] },
      'refuse SetDefaultSnapshotClassFailed NoDefaultSnapshotClass and stays as ready as it was',
    ],
    [
      'has to be one',
      {
        spec: { source: { persistentVolumeClaimName: 'c1' } },
        snapshotClass: false,
        defaultClasses: [classOf(), classOf({ metadata: { name: 'b' } })],
        finalizers: [AS_SOURCE],
      },
      'refuse SetDefaultSnapshotClassFailed SeveralDefaultSnapshotClasses and stays as ready as it was',
    ],
  ],
  'a content that exists': [
    ['is bound to its snapshot', { spec: byHand, content: contentOf({ ...existing, uid: '' }) }, 'bind-content'],
    ['may not be missing', { spec: byHand }, 'refuse SnapshotContentMissing ContentMissing'],
    ['has to have a handle', { spec: byHand, content: contentOf() }, 'refuse SnapshotContentMismatch ContentMismatch'],
    [
      'may not be another’s',
      { spec: byHand, content: contentOf({ ...existing, uid: 'u2' }) },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
    [
      'may not be for another name',
      { spec: byHand, content: contentOf({ ...existing, uid: '', name: 'x' }) },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
    [
      'may not be for another namespace',
      { spec: byHand, content: contentOf({ ...existing, uid: '', namespace: 'x' }) },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
    [
      'of a claim’s snapshot may not be for another name',
      { content: contentOf({ name: 'x' }) },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
    [
      'of a claim’s snapshot may not be for another namespace',
      { content: contentOf({ namespace: 'x' }) },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
    [
      'of a claim’s snapshot has to be a dynamic one',
      { content: contentOf(existing) },
      'refuse SnapshotContentMismatch ContentMismatch',
    ],
    [
      'of a claim’s snapshot may not be another’s',
      { content: contentOf({ uid: 'u2' }), finalizers: [AS_SOURCE] },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
  ],
  'the status': [
    [
      'names the content at once',
      { content: contentOf() },
      'record {"boundVolumeSnapshotContentName":"snapcontent-u1","readyToUse":false}',
    ],
    [
      'then waits for the driver',
      { content: contentOf(), status: { boundVolumeSnapshotContentName: 'snapcontent-u1', readyToUse: false } },
      'wait SnapshotBeingTaken',
    ],
    [
      'has time, size and readiness from the content',
      {
        content: contentOf({
          status: { snapshotHandle: 's', readyToUse: true, restoreSize: 1048576, creationTime: 1893456000000000000 },
        }),
        status: { boundVolumeSnapshotContentName: 'snapcontent-u1', readyToUse: false },
      },
      'record {"creationTime":"2030-01-01T00:00:00Z","readyToUse":true,"restoreSize":"1Mi"}',
    ],
    [
      'has the error of the content',
      {
        content: contentOf({ status: { readyToUse: false, error: { message: 'no' } } }),
        status: { boundVolumeSnapshotContentName: 'snapcontent-u1', readyToUse: false },
      },
      'record {"error":{"message":"no"}}',
    ],
    [
      'names the content also of a snapshot that claims to be ready',
      { content: contentOf(), status: { readyToUse: true } },
      'record {"boundVolumeSnapshotContentName":"snapcontent-u1","readyToUse":false}',
    ],
    [
      'has the same error once',
      {
        content: contentOf({ status: { readyToUse: false, error: { message: 'no' } } }),
        status: { ...ready, readyToUse: false, error: { message: 'no' } },
      },
      'wait SnapshotBeingTaken',
    ],
    [
      'loses its error also if nothing else changes',
      {
        content: contentOf({ status: { readyToUse: false } }),
        status: { ...ready, readyToUse: false, error: { message: 'no' } },
      },
      'record {} without its error',
    ],
    [
      'keeps time and size that it has',
      {
        content: contentOf({
          status: { readyToUse: false, restoreSize: 1048576, creationTime: 1893456000000000000 },
        }),
        status: { ...ready, readyToUse: false, restoreSize: '2Mi', creationTime: '2029-01-01T00:00:00Z' },
      },
      'wait SnapshotBeingTaken',
    ],
    [
      'gets a size in the place of none',
      {
        content: contentOf({ status: { readyToUse: false, restoreSize: 1048576 } }),
        status: { ...ready, readyToUse: false, restoreSize: '0' },
      },
      'record {"restoreSize":"1Mi"}',
    ],
    [
      'is decided again when the snapshotter has been silent for a minute',
      {
        content: contentOf({ createdAt: '2030-01-01T00:00:00Z' }),
        status: { ...ready, readyToUse: false },
        held: { passesVolumeMode: true, nowMs: Date.parse('2030-01-01T00:00:20Z') },
      },
      'wait SnapshotBeingTaken 40000',
    ],
    [
      'says when the snapshotter has been silent for a minute',
      {
        content: contentOf({ createdAt: '2030-01-01T00:00:00Z' }),
        status: { ...ready, readyToUse: false },
        held: { passesVolumeMode: true, nowMs: Date.parse('2030-01-01T00:01:00Z') },
      },
      'wait SnapshotNotStarted SnapshotterNotResponding',
    ],
    [
      'loses it again',
      {
        content: contentOf({ status: { snapshotHandle: 's', readyToUse: true } }),
        status: { ...ready, readyToUse: false, error: { message: 'no' } },
      },
      'record {"readyToUse":true} without its error',
    ],
    [
      'stays when all is said',
      { content: contentOf({ status: { snapshotHandle: 's', readyToUse: true } }), status: ready },
      'wait SnapshotReady',
    ],
    ['says when the content is gone', { status: ready }, 'refuse SnapshotContentMissing ContentMissing'],
    [
      'says when the content is another’s',
      { status: ready, content: contentOf({ uid: 'u2' }), finalizers: [AS_SOURCE] },
      'refuse SnapshotMisbound SnapshotMisbound',
    ],
  ],
  deleting: [
    [
      'waits for a restore',
      { leaving: true, restoring: claimOf(), content: contentOf() },
      'wait BeingRestored SnapshotDeletePending',
    ],
    ['tells the snapshotter first', { leaving: true, content: contentOf() }, 'mark-being-deleted'],
    ['then deletes the content', { leaving: true, content: contentOf({ annotations: DELETED }) }, 'delete-content'],
    [
      'then waits for the snapshotter',
      { leaving: true, content: contentOf({ annotations: DELETED, leaving: true, status: { snapshotHandle: 's' } }) },
      'wait ContentStillThere',
    ],
    [
      'needs no snapshotter where no driver was asked',
      { leaving: true, content: contentOf({ annotations: DELETED, leaving: true }) },
      'release-content',
    ],
    [
      'keeps a content with policy Retain',
      { leaving: true, content: contentOf({ annotations: DELETED, policy: 'Retain' }) },
      'release',
    ],
    [
      'tells the snapshotter also of a content that is kept',
      { leaving: true, content: contentOf({ policy: 'Retain' }) },
      'mark-being-deleted',
    ],
    [
      'waits for a snapshotter that is about to ask the driver',
      {
        leaving: true,
        content: contentOf({
          annotations: { ...DELETED, 'snapshot.storage.kubernetes.io/volumesnapshot-being-created': 'yes' },
          leaving: true,
        }),
      },
      'wait ContentStillThere',
    ],
    [
      'waits for the snapshotter of a snapshot that exists',
      { leaving: true, spec: byHand, content: contentOf({ ...existing, annotations: DELETED, leaving: true }) },
      'wait ContentStillThere',
    ],
    [
      'waits for others once our finalizer on the content is gone',
      { leaving: true, content: contentOf({ annotations: DELETED, leaving: true, finalizers: ['x'] }) },
      'wait ContentStillThere',
    ],
    [
      'does not wait for a restore without our finalizers',
      { leaving: true, finalizers: [], restoring: claimOf() },
      'wait Released',
    ],
    ['asks the server whether the content is gone', { leaving: true }, 'look-for-content'],
    [
      'then lets the snapshot go',
      { leaving: true, held: { passesVolumeMode: true, isContentConfirmed: true } },
      'release',
    ],
    ['leaves the content of another alone', { leaving: true, content: contentOf({ uid: 'u2' }) }, 'release'],
    ['is over without our finalizers', { leaving: true, finalizers: [] }, 'wait Released'],
  ],
  'a member of a group': [
    ['waits for its content', { ...member, group: {} }, 'wait MemberWithoutContent'],
    [
      'waits until its content says what the driver told',
      { ...member, group: {}, content: contentOf() },
      'wait MemberWithoutContent',
    ],
    [
      'needs no class, and names its group',
      { ...member, group: {}, content: contentOf({ status: inGroup }) },
      'record {"boundVolumeSnapshotContentName":"snapcontent-u1","readyToUse":true,"volumeGroupSnapshotName":"weekly"}',
    ],
    [
      'that the user has brought learns its group later',
      { spec: byHand, status: ready, group: {}, content: contentOf({ ...existing, status: inGroup }) },
      'record {"volumeGroupSnapshotName":"weekly"}',
    ],
    [
      'that the user has brought is owned by its group',
      {
        spec: byHand,
        status: { ...ready, volumeGroupSnapshotName: 'weekly' },
        group: {},
        content: contentOf({ ...existing, status: inGroup }),
      },
      'join-group',
    ],
    [
      'that the user has brought works without its group',
      { spec: byHand, content: contentOf({ ...existing, status: inGroup }) },
      'record {"boundVolumeSnapshotContentName":"snapcontent-u1","readyToUse":true}',
    ],
    [
      'may not have the content of another',
      { ...member, group: {}, content: contentOf({ uid: 'u2', status: inGroup }) },
      'refuse SnapshotContentMisbound ContentMisbound',
    ],
    [
      'that the user has brought does not join a group that is being deleted',
      { spec: byHand, status: ready, group: { leaving: true }, content: contentOf({ ...existing, status: inGroup }) },
      'wait SnapshotReady',
    ],
    [
      'that the user has brought joins its group once',
      {
        spec: byHand,
        owners: OWNERS,
        status: { ...ready, volumeGroupSnapshotName: 'weekly' },
        group: {},
        content: contentOf({ ...existing, status: inGroup }),
      },
      'wait SnapshotReady',
    ],
    [
      'is looked at again where groups are not followed',
      { ...member, leaving: true, group: {}, held: { passesVolumeMode: true, followsGroups: false } },
      'wait SnapshotInGroup SnapshotDeletePending 60000',
    ],
    [
      'is known by the annotation of its content',
      {
        leaving: true,
        content: contentOf({ annotations: { 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle': 'g' } }),
      },
      'delete-content',
    ],
    [
      'tells the snapshotter of a content that is kept',
      {
        ...member,
        leaving: true,
        content: contentOf({ status: inGroup, policy: 'Retain' }),
        held: { passesVolumeMode: true, isGroupConfirmed: true },
      },
      'mark-being-deleted',
    ],
    ['cannot be deleted alone', { ...member, leaving: true, group: {} }, 'wait SnapshotInGroup SnapshotDeletePending'],
    ['waits for its group to go', { ...member, leaving: true, group: { leaving: true } }, 'wait SnapshotInGroup'],
    ['asks the server whether its group is gone', { ...member, leaving: true }, 'look-for-group'],
    [
      'needs no snapshotter to delete its content',
      {
        ...member,
        leaving: true,
        content: contentOf({ status: inGroup }),
        held: { passesVolumeMode: true, isGroupConfirmed: true },
      },
      'delete-content',
    ],
    [
      'lets its content go by itself',
      {
        ...member,
        leaving: true,
        content: contentOf({ status: inGroup, leaving: true }),
        held: { passesVolumeMode: true, isGroupConfirmed: true },
      },
      'release-content',
    ],
    [
      'leaves a content that is retained',
      {
        ...member,
        leaving: true,
        content: contentOf({ status: inGroup, policy: 'Retain', annotations: DELETED }),
        held: { passesVolumeMode: true, isGroupConfirmed: true },
      },
      'release',
    ],
  ],
}
for (const [topic, table] of Object.entries(cases))
  describe(topic, () => {
    for (const [behaviour, given, step] of table)
      test(behaviour, () => equal(summarize(nextSnapshotStep(viewOf(given))), step))
  })

test('a content to be created has all that the snapshotter needs', () => {
  const parameters = {
    'csi.storage.k8s.io/snapshotter-secret-name': '${volumesnapshot.name}',
    'csi.storage.k8s.io/snapshotter-secret-namespace': 'vault',
  }
  const step = nextSnapshotStep(
    viewOf({
      snapshotClass: { parameters },
      volume: { spec: { claimRef: reservedFor('c1', 'uid-c1'), volumeMode: 'Block' } },
    }),
  )
  deepEqual(step.kind === 'create-content' && { ...step.content.spec, ...step.content.metadata }, {
    volumeSnapshotRef: {
      ...API,
      kind: 'VolumeSnapshot',
      namespace: 'default',
      name: 'monday',
      uid: 'u1',
      resourceVersion: '',
    },
    source: { volumeHandle: 'v1' },
    volumeSnapshotClassName: 'snaps',
    deletionPolicy: 'Delete',
    driver: DRIVER,
    sourceVolumeMode: 'Block',
    name: 'snapcontent-u1',
    finalizers: [CONTENT],
    annotations: {
      'snapshot.storage.kubernetes.io/deletion-secret-name': 'monday',
      'snapshot.storage.kubernetes.io/deletion-secret-namespace': 'vault',
    },
  })
})

test('a content names the node that manages it, and the volume mode only if that is asked for', () => {
  const volume = { spec: { claimRef: reservedFor('c1', 'uid-c1'), volumeMode: 'Block' as const } }
  const held = { passesVolumeMode: false, nodeOf: () => 'n1' }
  const step = nextSnapshotStep(viewOf({ volume, held }))
  const content = step.kind === 'create-content' ? step.content : undefined
  deepEqual(content?.metadata, {
    name: 'snapcontent-u1',
    finalizers: [CONTENT],
    labels: { 'snapshot.storage.kubernetes.io/managed-by': 'n1' },
  })
  equal(content && 'sourceVolumeMode' in content.spec, false)
})

test('several default classes are listed in order', () => {
  const step = nextSnapshotStep(
    viewOf({
      spec: { source: { persistentVolumeClaimName: 'c1' } },
      snapshotClass: false,
      defaultClasses: [classOf(), classOf({ metadata: { name: 'b' } })],
      finalizers: [AS_SOURCE],
    }),
  )
  equal(step.kind === 'refuse' && step.reason.detail?.['classes'], 'b, snaps')
})

test('a claim is held exactly while a snapshot of it is being taken', () => {
  const claim = claimOf({ metadata: { finalizers: [SOURCE] } })
  const { snapshot } = viewOf({}).seen
  const stepWith = (content?: VolumeSnapshotContent) =>
    nextSourceClaimStep({ claim, uses: [{ snapshot, content }] }).kind
  equal(stepWith(contentOf()), 'wait')
  equal(stepWith(contentOf({ status: { readyToUse: true } })), 'release')
  equal(stepWith(contentOf({ uid: 'u2' })), 'release')
  equal(stepWith(), 'release')
  equal(nextSourceClaimStep({ claim: claimOf(), uses: [] }).kind, 'wait')
  deepEqual(nextSourceClaimStep({ claim, uses: [], lagsMs: 70 }), {
    kind: 'wait',
    reason: REASONS.Released,
    retryInMs: 70,
  })
})

test('a content is protected once it belongs to a snapshot, and not when it is being deleted', () => {
  const bare = (parts: ContentParts): VolumeSnapshotContent => {
    const content = contentOf(parts)
    return { ...content, metadata: { ...content.metadata, finalizers: [] } }
  }
  deepEqual(
    [bare({}), bare({ uid: '' }), bare({ leaving: true }), contentOf()].map(
      (content) => nextContentProtectionStep(content, content.spec.volumeSnapshotRef.uid, CONTENT).kind,
    ),
    ['protect', 'wait', 'wait', 'wait'],
  )
})
