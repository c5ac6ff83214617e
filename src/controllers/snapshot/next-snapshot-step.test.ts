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
  status?: VolumeSnapshotContent['status']
  annotations?: Record<string, string>
  leaving?: boolean
}
const contentOf = ({
  source = { volumeHandle: 'v1' },
  policy = 'Delete',
  uid = 'u1',
  name = 'monday',
  status,
  annotations = {},
  leaving,
}: ContentParts = {}): VolumeSnapshotContent => ({
  ...API,
  kind: 'VolumeSnapshotContent',
  metadata: {
    name: 'snapcontent-u1',
    annotations,
    finalizers: [CONTENT],
    ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  },
  spec: { driver: DRIVER, deletionPolicy: policy, source, volumeSnapshotRef: { namespace: 'default', name, uid } },
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
      return `wait ${step.reason.code}${step.event ? ` ${step.event}` : ''}`
    case 'refuse':
      return `refuse ${step.event} ${step.reason.code}`
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
    ['needs its class', { snapshotClass: false }, 'refuse GetSnapshotClassFailed SnapshotClassMissing'],
    ['needs exactly one source', { spec: { source: {} } }, 'refuse SnapshotValidationError SourceInvalid'],
    ['needs the claim', { claim: false }, 'refuse SnapshotContentCreationFailed ClaimMissing'],
    [
      'needs a claim that is bound',
      { claim: { status: { phase: 'Pending' } } },
      'refuse SnapshotContentCreationFailed ClaimNotBound',
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
      'refuse SetDefaultSnapshotClassFailed NoDefaultSnapshotClass',
    ],
    [
      'has to be one',
      {
        spec: { source: { persistentVolumeClaimName: 'c1' } },
        snapshotClass: false,
        defaultClasses: [classOf(), classOf({ metadata: { name: 'b' } })],
        finalizers: [AS_SOURCE],
      },
      'refuse SetDefaultSnapshotClassFailed SeveralDefaultSnapshotClasses',
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
    reason: REASONS.released,
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
