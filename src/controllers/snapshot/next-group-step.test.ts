import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
} from '../../api/kinds/volume-group-snapshot.ts'
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../api/kinds/volume-snapshot.ts'
import { claimOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import { memberNamesOf } from './group-view.ts'
import type { GroupMember, GroupSource, GroupView } from './group-view.ts'
import { nextGroupStep } from './next-group-step.ts'
import type { GroupStep } from './next-group-step.ts'
import { nextSourceClaimStep } from './protection-controllers.ts'

const API = { apiVersion: 'groupsnapshot.storage.k8s.io/v1' } as const
const DRIVER = 'test.holdfast.dev'
const BOUND = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection'
const CONTENT = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection'
const SOURCE = 'snapshot.storage.kubernetes.io/pvc-as-source-protection'
const DELETED = { 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted': 'yes' }
const CREATED = { 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created': 'yes' }

type ContentParts = {
  source?: VolumeGroupSnapshotContent['spec']['source']
  policy?: 'Delete' | 'Retain'
  uid?: string
  name?: string
  namespace?: string
  createdAt?: string
  finalizers?: readonly string[]
  status?: VolumeGroupSnapshotContent['status']
  annotations?: Record<string, string>
  leaving?: boolean
}
const contentOf = (parts: ContentParts = {}): VolumeGroupSnapshotContent => {
  const { source = { volumeHandles: ['h1'] }, policy = 'Delete', uid = 'u1', name = 'monday', status, leaving } = parts
  const { namespace = 'default', createdAt, finalizers = [CONTENT] } = parts
  return {
    ...API,
    kind: 'VolumeGroupSnapshotContent',
    metadata: {
      name: 'groupsnapcontent-u1',
      annotations: parts.annotations ?? {},
      finalizers,
      ...(createdAt ? { creationTimestamp: createdAt } : {}),
      ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: {
      driver: DRIVER,
      deletionPolicy: policy,
      source,
      volumeGroupSnapshotRef: { namespace, name, uid },
    },
    ...(status ? { status } : {}),
  }
}
const classOf = (more: Partial<VolumeGroupSnapshotClass> = {}): VolumeGroupSnapshotClass => ({
  ...API,
  kind: 'VolumeGroupSnapshotClass',
  metadata: { name: 'groups' },
  driver: DRIVER,
  deletionPolicy: 'Delete',
  ...more,
})
const boundClaim = (more: Parameters<typeof claimOf>[0] = {}): PersistentVolumeClaim =>
  claimOf({ metadata: { finalizers: [SOURCE] }, spec: { volumeName: 'v1' }, status: { phase: 'Bound' }, ...more })
const csiVolume = (driver = DRIVER) =>
  volumeOf({
    spec: { claimRef: reservedFor('c1', 'uid-c1'), csi: { driver, volumeHandle: 'h1' }, volumeMode: 'Block' },
  })
const NAMES = memberNamesOf('u1', 'h1')
const memberOf = (more: Partial<GroupMember> = {}): GroupMember => ({
  info: { volumeHandle: 'h1', snapshotHandle: 's1', creationTime: 5, restoreSize: 7, readyToUse: true },
  ...NAMES,
  volume: csiVolume(),
  ...more,
})
const memberSnapshot: VolumeSnapshot = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { namespace: 'default', name: NAMES.snapshotName, uid: 'm1' },
  spec: { source: { persistentVolumeClaimName: 'c1' } },
}
const memberContent = (status?: VolumeSnapshotContent['status']): VolumeSnapshotContent => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name: NAMES.contentName },
  spec: {
    driver: DRIVER,
    deletionPolicy: 'Delete',
    source: { volumeHandle: 'h1' },
    volumeSnapshotRef: { namespace: 'default', name: NAMES.snapshotName, uid: 'm1' },
  },
  ...(status ? { status } : {}),
})

type Given = {
  spec?: VolumeGroupSnapshot['spec']
  status?: VolumeGroupSnapshot['status']
  finalizers?: readonly string[]
  leaving?: boolean
  content?: VolumeGroupSnapshotContent
  groupClass?: Partial<VolumeGroupSnapshotClass> | false
  defaultClasses?: readonly VolumeGroupSnapshotClass[]
  sources?: readonly GroupSource[]
  selectorProblem?: string
  members?: readonly GroupMember[]
  snapshots?: readonly VolumeSnapshot[]
  restoring?: PersistentVolumeClaim
  held?: Partial<NonNullable<GroupView['held']>>
}

function viewOf(given: Given): GroupView {
  const group: VolumeGroupSnapshot = {
    ...API,
    kind: 'VolumeGroupSnapshot',
    metadata: {
      namespace: 'default',
      name: 'monday',
      uid: 'u1',
      finalizers: given.finalizers ?? [BOUND],
      ...(given.leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: given.spec ?? {
      source: { selector: { matchLabels: { app: 'db' } } },
      volumeGroupSnapshotClassName: 'groups',
    },
    ...(given.status ? { status: given.status } : {}),
  }
  return {
    seen: {
      group,
      defaultClasses: given.defaultClasses ?? [],
      sources: given.sources ?? [{ claim: boundClaim(), volume: csiVolume() }],
      members: given.members ?? [],
      snapshots: given.snapshots ?? [],
      ...(given.content ? { content: given.content } : {}),
      ...(given.groupClass === false ? {} : { groupClass: classOf(given.groupClass) }),
      ...(given.selectorProblem === undefined ? {} : { selectorProblem: given.selectorProblem }),
      ...(given.restoring ? { restoring: { snapshot: memberSnapshot, claim: given.restoring } } : {}),
    },
    held: { passesVolumeMode: true, ...given.held },
  }
}

const summarize = (step: GroupStep): string => {
  switch (step.kind) {
    case 'wait':
      return ['wait', step.reason.code, step.event, step.retryInMs].filter((part) => part !== undefined).join(' ')
    case 'refuse':
      return `refuse ${step.event} ${step.reason.code}${step.keepsReady ? ' and stays ready' : ''}`
    case 'set-class':
      return `set-class ${step.className}`
    case 'record':
      return `record ${JSON.stringify(step.status)}${step.removesError ? ' without its error' : ''}`
    default:
      return step.kind
  }
}

const byHand = { source: { volumeGroupSnapshotContentName: 'groupsnapcontent-u1' } }
const handles = { groupSnapshotHandles: { volumeGroupSnapshotHandle: 'g', volumeSnapshotHandles: ['s1'] } }
const ready = { boundVolumeGroupSnapshotContentName: 'groupsnapcontent-u1', readyToUse: true }
const taken = { volumeGroupSnapshotHandle: 'g', readyToUse: true, creationTime: '2030-01-01T00:00:00Z' }
const noClass = { source: { selector: {} } }
const withoutClaims = 'refuse GroupSnapshotContentCreationFailed'
const pending = { ...ready, readyToUse: false }
const MADE_AT = '2030-01-01T00:00:00Z'
const cases: Record<string, [behaviour: string, given: Given, step: string][]> = {
  'a group with a content': [
    ['is protected first', { finalizers: [], content: contentOf(), status: ready }, 'protect'],
    [
      'is not protected because of the content of another',
      { finalizers: [], content: contentOf({ uid: 'u2' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'needs no class once it is ready',
      { groupClass: false, status: ready },
      'refuse GroupSnapshotContentMissing GroupContentMissing',
    ],
    [
      'names the content also if it claims to be ready',
      { content: contentOf(), status: { readyToUse: true } },
      'record {"boundVolumeGroupSnapshotContentName":"groupsnapcontent-u1","readyToUse":false}',
    ],
    [
      'may not have one for another name',
      { content: contentOf({ name: 'x' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'may not have one for another namespace',
      { content: contentOf({ namespace: 'x' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'may not name one for another namespace',
      { spec: byHand, content: contentOf({ source: handles, uid: '', namespace: 'x' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'may not name one of another of the same name',
      { spec: byHand, content: contentOf({ source: handles, uid: 'u2' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'hears of a content of the wrong type before it hears of its owner',
      { content: contentOf({ source: handles, uid: 'u2' }) },
      'refuse GroupSnapshotContentMismatch GroupContentMismatch',
    ],
    [
      'has the same error once',
      {
        content: contentOf({ status: { readyToUse: false, error: { message: 'no' } } }),
        status: { ...pending, error: { message: 'no' } },
      },
      'wait GroupSnapshotBeingTaken',
    ],
    [
      'loses its error also if nothing else changes',
      { content: contentOf({ status: { readyToUse: false } }), status: { ...pending, error: { message: 'no' } } },
      'record {} without its error',
    ],
    [
      'keeps the time that it has',
      {
        content: contentOf({ status: { readyToUse: false, creationTime: MADE_AT } }),
        status: { ...pending, creationTime: '2029-01-01T00:00:00Z' },
      },
      'wait GroupSnapshotBeingTaken',
    ],
    [
      'is decided again when the snapshotter has been silent for a minute',
      { content: contentOf({ createdAt: MADE_AT }), status: pending, held: { nowMs: Date.parse(MADE_AT) + 20_000 } },
      'wait GroupSnapshotBeingTaken 40000',
    ],
    [
      'says when the snapshotter has been silent for a minute',
      { content: contentOf({ createdAt: MADE_AT }), status: pending, held: { nowMs: Date.parse(MADE_AT) + 60_000 } },
      'wait GroupSnapshotNotStarted SnapshotterNotResponding',
    ],
  ],
  'a group that is being deleted': [
    [
      'does not wait for a restore without our finalizer',
      { leaving: true, finalizers: [], restoring: claimOf() },
      'wait GroupReleased',
    ],
    [
      'waits for a restore before anything else',
      { leaving: true, restoring: claimOf() },
      'wait MemberBeingRestored SnapshotDeletePending',
    ],
    [
      'waits for the snapshotter of a snapshot that exists',
      { leaving: true, content: contentOf({ source: handles, annotations: DELETED, leaving: true }) },
      'wait GroupContentStillThere',
    ],
    [
      'waits for others once our finalizer on the content is gone',
      { leaving: true, content: contentOf({ annotations: DELETED, leaving: true, finalizers: ['x'] }) },
      'wait GroupContentStillThere',
    ],
    [
      'does not delete members twice',
      {
        leaving: true,
        content: contentOf({ annotations: DELETED, leaving: true, status: taken }),
        snapshots: [{ ...memberSnapshot, metadata: { ...memberSnapshot.metadata, deletionTimestamp: MADE_AT } }],
      },
      'wait GroupContentStillThere',
    ],
    [
      'records no members of a content that is deleted',
      {
        leaving: true,
        content: contentOf({ annotations: DELETED, status: taken }),
        members: [memberOf({ snapshot: memberSnapshot, content: memberContent() })],
      },
      'delete-content',
    ],
  ],
  'a new group': [
    ['needs exactly one source', { spec: { source: {} } }, 'refuse GroupSnapshotValidationError GroupSourceInvalid'],
    [
      'needs its class',
      { groupClass: false },
      'refuse GetGroupSnapshotClassFailed GroupSnapshotClassMissing and stays ready',
    ],
    ['needs a correct selector', { selectorProblem: 'bad' }, `${withoutClaims} GroupSelectorInvalid`],
    ['needs claims', { sources: [] }, `${withoutClaims} NoClaimsSelected`],
    ['needs bound claims', { sources: [{ claim: claimOf() }] }, `${withoutClaims} GroupClaimNotBound`],
    [
      'needs claims whose status says that they are bound',
      { sources: [{ claim: boundClaim({ status: { phase: 'Pending' } }), volume: csiVolume() }] },
      `${withoutClaims} GroupClaimNotBound`,
    ],
    [
      'needs claims that name their volume',
      { sources: [{ claim: boundClaim({ spec: {} }), volume: csiVolume() }] },
      `${withoutClaims} GroupClaimNotBound`,
    ],
    [
      'takes a snapshot of a claim that is being deleted and held already',
      {
        sources: [
          {
            claim: boundClaim({ metadata: { deletionTimestamp: MADE_AT, finalizers: [SOURCE] } }),
            volume: csiVolume(),
          },
        ],
      },
      'create-content',
    ],
    ['needs the volumes', { sources: [{ claim: boundClaim() }] }, `${withoutClaims} GroupVolumeMissing`],
    [
      'needs volumes that are bound to these very claims',
      { sources: [{ claim: boundClaim({ uid: 'other' }), volume: csiVolume() }] },
      `${withoutClaims} GroupVolumeOfOther`,
    ],
    [
      'needs CSI volumes',
      {
        sources: [
          {
            claim: boundClaim(),
            volume: volumeOf({ spec: { claimRef: reservedFor('c1', 'uid-c1'), csi: undefined as never } }),
          },
        ],
      },
      'refuse CreateGroupSnapshotContentFailed GroupVolumeNotCsi',
    ],
    [
      'needs volumes of the driver of the class',
      { sources: [{ claim: boundClaim(), volume: csiVolume('other') }] },
      'refuse CreateGroupSnapshotContentFailed GroupVolumeOfOtherDriver',
    ],
    [
      'takes no snapshot of a claim that is being deleted',
      {
        sources: [
          { claim: boundClaim({ metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }), volume: csiVolume() },
        ],
      },
      `${withoutClaims} GroupClaimLeaving`,
    ],
    [
      'gets the default class of the driver',
      { spec: noClass, groupClass: false, defaultClasses: [classOf(), classOf({ driver: 'other' })] },
      'set-class groups',
    ],
    [
      'needs a default class if it names none',
      { spec: noClass, groupClass: false },
      'refuse SetDefaultGroupSnapshotClassFailed NoDefaultGroupSnapshotClass and stays ready',
    ],
    [
      'cannot choose between two default classes',
      { spec: noClass, groupClass: false, defaultClasses: [classOf(), classOf({ metadata: { name: 'b' } })] },
      'refuse SetDefaultGroupSnapshotClassFailed SeveralDefaultGroupSnapshotClasses and stays ready',
    ],
    [
      'needs a correct secret',
      { groupClass: { parameters: { 'csi.storage.k8s.io/group-snapshotter-secret-name': 'x' } } },
      `${withoutClaims} GroupSecretReferenceInvalid`,
    ],
    ['is protected before its content is created', { finalizers: [] }, 'protect'],
    [
      'holds its claims first',
      { sources: [{ claim: boundClaim({ metadata: {} }), volume: csiVolume() }] },
      'hold-claims',
    ],
    ['then gets its content', {}, 'create-content'],
    [
      'needs volumes on one node if nodes take the snapshots',
      {
        sources: [
          { claim: boundClaim(), volume: csiVolume() },
          { claim: boundClaim(), volume: { ...csiVolume(), metadata: { name: 'v2' } } },
        ],
        held: { nodeOf: ({ metadata }) => `node-of-${metadata.name}` },
      },
      `${withoutClaims} GroupOnSeveralNodes`,
    ],
  ],
  'a group with its content': [
    ['is protected', { finalizers: [], content: contentOf() }, 'protect'],
    [
      'is bound at once',
      { content: contentOf() },
      'record {"boundVolumeGroupSnapshotContentName":"groupsnapcontent-u1","readyToUse":false}',
    ],
    [
      'waits for the driver',
      { content: contentOf(), status: { ...ready, readyToUse: false } },
      'wait GroupSnapshotBeingTaken',
    ],
    [
      'does not need its class any more',
      { content: contentOf(), groupClass: false, status: { ...ready, readyToUse: false } },
      'wait GroupSnapshotBeingTaken',
    ],
    ['creates its members first', { content: contentOf({ status: taken }), members: [memberOf()] }, 'create-members'],
    [
      'then their contents',
      { content: contentOf({ status: taken }), members: [memberOf({ snapshot: memberSnapshot })] },
      'create-member-contents',
    ],
    [
      'then says what the driver has told about them',
      {
        content: contentOf({ status: taken }),
        members: [memberOf({ snapshot: memberSnapshot, content: memberContent() })],
      },
      'record-members',
    ],
    [
      'is ready last',
      {
        content: contentOf({ status: taken }),
        members: [memberOf({ snapshot: memberSnapshot, content: memberContent({ snapshotHandle: 's1' }) })],
        status: { ...ready, readyToUse: false, error: { message: 'old' } },
      },
      'record {"creationTime":"2030-01-01T00:00:00Z","readyToUse":true} without its error',
    ],
    [
      'copies the error of the driver',
      {
        content: contentOf({ status: { readyToUse: false, error: { message: 'full' } } }),
        status: { ...ready, readyToUse: false },
      },
      'record {"error":{"message":"full"}}',
    ],
    [
      'does not take a content of another',
      { content: contentOf({ uid: 'u2' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'does not take a content that was brought',
      { content: contentOf({ source: handles }) },
      'refuse GroupSnapshotContentMismatch GroupContentMismatch',
    ],
    ['is over when it is ready', { content: contentOf({ status: taken }), status: ready }, 'wait GroupSnapshotReady'],
    ['says when the content is gone', { status: ready }, 'refuse GroupSnapshotContentMissing GroupContentMissing'],
    [
      'says when the content belongs to another',
      { status: ready, content: contentOf({ uid: 'u2' }) },
      'refuse GroupSnapshotMisbound GroupSnapshotMisbound',
    ],
  ],
  'a group snapshot that was brought': [
    ['is bound to its group', { spec: byHand, content: contentOf({ source: handles, uid: '' }) }, 'bind-content'],
    ['may not be missing', { spec: byHand }, 'refuse GroupSnapshotContentMissing GroupContentMissing'],
    [
      'has to have handles',
      { spec: byHand, content: contentOf() },
      'refuse GroupSnapshotContentMismatch GroupContentMismatch',
    ],
    [
      'may not belong to another',
      { spec: byHand, content: contentOf({ source: handles, name: 'tuesday' }) },
      'refuse GroupSnapshotContentMisbound GroupContentMisbound',
    ],
    [
      'is ready when the driver says so',
      { spec: byHand, content: contentOf({ source: handles, status: { readyToUse: true } }) },
      'record {"boundVolumeGroupSnapshotContentName":"groupsnapcontent-u1","readyToUse":true}',
    ],
  ],
  'deleting a group': [
    [
      'waits while a member is being restored',
      { leaving: true, content: contentOf(), restoring: claimOf() },
      'wait MemberBeingRestored SnapshotDeletePending',
    ],
    ['tells the snapshotter first', { leaving: true, content: contentOf() }, 'mark-being-deleted'],
    ['then deletes the content', { leaving: true, content: contentOf({ annotations: DELETED }) }, 'delete-content'],
    [
      'then the members',
      {
        leaving: true,
        content: contentOf({ annotations: DELETED, leaving: true, status: taken }),
        snapshots: [memberSnapshot],
      },
      'delete-members',
    ],
    [
      'waits for the content',
      { leaving: true, content: contentOf({ annotations: DELETED, leaving: true, status: taken }) },
      'wait GroupContentStillThere',
    ],
    [
      'needs no snapshotter for what no driver was asked about',
      { leaving: true, content: contentOf({ annotations: DELETED, leaving: true }) },
      'release-content',
    ],
    [
      'waits for the snapshotter while the driver may be asked',
      { leaving: true, content: contentOf({ annotations: { ...DELETED, ...CREATED }, leaving: true }) },
      'wait GroupContentStillThere',
    ],
    ['asks the server whether the content is gone', { leaving: true }, 'look-for-content'],
    [
      'asks the server whether members are left',
      { leaving: true, held: { isContentConfirmed: true } },
      'look-for-members',
    ],
    [
      'deletes members that only the server knew',
      { leaving: true, snapshots: [memberSnapshot], held: { isContentConfirmed: true, areSnapshotsConfirmed: true } },
      'delete-members',
    ],
    ['then goes', { leaving: true, held: { isContentConfirmed: true, areSnapshotsConfirmed: true } }, 'release'],
    [
      'tells members that are retained what the driver has',
      {
        leaving: true,
        content: contentOf({ policy: 'Retain', annotations: DELETED, status: taken }),
        members: [memberOf({ snapshot: memberSnapshot, content: memberContent() })],
      },
      'record-members',
    ],
    [
      'leaves a content that is retained',
      {
        leaving: true,
        content: contentOf({ policy: 'Retain', annotations: DELETED, status: taken }),
        held: { areSnapshotsConfirmed: true },
      },
      'release',
    ],
    [
      'leaves the content of another alone',
      { leaving: true, content: contentOf({ uid: 'u2' }), held: { areSnapshotsConfirmed: true } },
      'release',
    ],
    ['is over without our finalizer', { leaving: true, finalizers: [] }, 'wait GroupReleased'],
  ],
}
for (const [topic, list] of Object.entries(cases))
  describe(topic, () => {
    for (const [behaviour, given, step] of list)
      test(behaviour, () => equal(summarize(nextGroupStep(viewOf(given))), step))
  })

test('the content of a group has the volumes of its claims, its class, a finalizer, the secret and the node', () => {
  const step = nextGroupStep(
    viewOf({
      groupClass: {
        deletionPolicy: 'Retain',
        parameters: {
          'csi.storage.k8s.io/group-snapshotter-secret-name': '${volumegroupsnapshot.name}',
          'csi.storage.k8s.io/group-snapshotter-secret-namespace': 'vault',
        },
      },
      held: { nodeOf: () => 'node-1' },
    }),
  )
  deepEqual(step.kind === 'create-content' && { ...step.content.spec, ...step.content.metadata }, {
    volumeGroupSnapshotRef: {
      ...API,
      kind: 'VolumeGroupSnapshot',
      namespace: 'default',
      name: 'monday',
      uid: 'u1',
      resourceVersion: '',
    },
    source: { volumeHandles: ['h1'] },
    volumeGroupSnapshotClassName: 'groups',
    deletionPolicy: 'Retain',
    driver: DRIVER,
    name: 'groupsnapcontent-u1',
    finalizers: [CONTENT],
    annotations: {
      'groupsnapshot.storage.kubernetes.io/deletion-secret-name': 'monday',
      'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace': 'vault',
    },
    labels: { 'snapshot.storage.kubernetes.io/managed-by': 'node-1' },
  })
})

test('members have the names, owner, finalizers and annotations of upstream', () => {
  const annotations = {
    'groupsnapshot.storage.kubernetes.io/deletion-secret-name': 'pass',
    'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace': 'vault',
  }
  const content = contentOf({ status: taken, annotations })
  const first = nextGroupStep(viewOf({ content, members: [memberOf()] }))
  deepEqual(first.kind === 'create-members' && first.snapshots, [
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: {
        namespace: 'default',
        name: NAMES.snapshotName,
        ownerReferences: [{ ...API, kind: 'VolumeGroupSnapshot', name: 'monday', uid: 'u1' }],
        finalizers: [
          'snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection',
          'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
          'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
        ],
      },
      spec: { source: { persistentVolumeClaimName: 'c1' } },
    },
  ])
  const second = nextGroupStep(viewOf({ content, members: [memberOf({ snapshot: memberSnapshot })] }))
  deepEqual(second.kind === 'create-member-contents' && second.contents, [
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: {
        name: NAMES.contentName,
        finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
        annotations: {
          'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle': 'g',
          'snapshot.storage.kubernetes.io/deletion-secret-name': 'pass',
          'snapshot.storage.kubernetes.io/deletion-secret-namespace': 'vault',
        },
      },
      spec: {
        volumeSnapshotRef: {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshot',
          namespace: 'default',
          name: NAMES.snapshotName,
          uid: 'm1',
        },
        source: { volumeHandle: 'h1' },
        deletionPolicy: 'Delete',
        driver: DRIVER,
        sourceVolumeMode: 'Block',
      },
    },
  ])
  const third = nextGroupStep(
    viewOf({ content, members: [memberOf({ snapshot: memberSnapshot, content: memberContent() })] }),
  )
  deepEqual(third.kind === 'record-members' && third.records[0]?.status, {
    snapshotHandle: 's1',
    volumeGroupSnapshotHandle: 'g',
    creationTime: 5,
    restoreSize: 7,
    readyToUse: true,
  })
})

test('the name of a member comes from the uid of its group and the handle of its volume, as upstream derives it', () => {
  // printf '%s%s' 9b2f7a34-0000-4000-8000-000000000001 vol-1 | sha256sum
  deepEqual(memberNamesOf('9b2f7a34-0000-4000-8000-000000000001', 'vol-1'), {
    snapshotName: 'snapshot-9684aabe3866552849bfdb8921f2f6c1c97a8ec5e369b7fd56c9a224b5048b9f',
    contentName: 'snapcontent-9684aabe3866552849bfdb8921f2f6c1c97a8ec5e369b7fd56c9a224b5048b9f',
  })
})

test('a claim is held while a group snapshot of it is being taken', () => {
  const claim = boundClaim()
  const stepWith = (status?: VolumeGroupSnapshotContent['status']) =>
    nextSourceClaimStep({ claim, uses: [], groupUses: [contentOf(status ? { status } : {})] }).kind
  deepEqual([stepWith(), stepWith({ readyToUse: false }), stepWith(taken)], ['wait', 'wait', 'release'])
})
