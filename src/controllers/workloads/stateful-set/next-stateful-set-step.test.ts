import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { StatefulSet, StatefulSetSpec } from '../../../api/kinds/stateful-set.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { claimOf, podOf } from '../../../testing/objects.ts'
import { nextRevisionStep } from '../revisions.ts'
import { nextReplicaStep } from './next-replica-step.ts'
import { nextStatefulSetStep } from './next-stateful-set-step.ts'
import type { StatefulSetStep } from './next-stateful-set-step.ts'
import { nextSurplusStep } from './next-surplus-step.ts'
import { nextUpdateStep } from './next-update-step.ts'
import { REASONS } from './reasons.ts'
import { placesOf } from './set-state.ts'
import type { SetState } from './set-state.ts'
import { statusOf } from './stateful-set-status.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const labels = { app: 'web' }
const setOf = (spec: Partial<StatefulSetSpec> = {}, image = 'new'): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'default', name: 'web', uid: 'uid-web', resourceVersion: '7', generation: 1 },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
    ...spec,
  },
})
const revisionOf = (image: string, number: number): ControllerRevision => {
  const step = nextRevisionStep(setOf({}, image), [])
  return { ...step.revision, revision: number }
}
const OLD = revisionOf('old', 1)
const NEW = revisionOf('new', 2)

type PodState = {
  readonly state?: 'pending' | 'unready' | 'ready' | 'leaving' | 'failed'
  readonly revision?: ControllerRevision
  readonly readySinceMs?: number
  readonly metadata?: Pod['metadata']
}
function member(ordinal: number, { state = 'ready', revision = NEW, readySinceMs = 0, metadata }: PodState = {}): Pod {
  const name = `web-${ordinal}`
  const phase = state === 'pending' ? 'Pending' : state === 'failed' ? 'Failed' : 'Running'
  const isReady = state === 'ready' || state === 'leaving'
  return podOf(name, {
    metadata: {
      labels: {
        ...labels,
        'statefulset.kubernetes.io/pod-name': name,
        'controller-revision-hash': revision.metadata.name ?? '',
      },
      ownerReferences: [ownerReferenceTo(setOf(), { controller: true, blockOwnerDeletion: true })],
      ...(state === 'leaving' ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
      ...metadata,
    },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: new Date(readySinceMs).toISOString() },
      ],
    },
  })
}

type Case = {
  spec?: Partial<StatefulSetSpec>
  pods: readonly Pod[]
  revisions?: readonly ControllerRevision[]
  claims?: readonly PersistentVolumeClaim[]
}
/** With a status that is up to date: the step is about pods. */
function stepFor({ spec = {}, pods, revisions = [OLD, NEW], claims = [] }: Case): StatefulSetStep {
  const set = setOf(spec)
  const current = revisions.includes(OLD) ? OLD : NEW
  const names = { current: current.metadata.name ?? '', update: NEW.metadata.name ?? '', nowMs: NOW_MS }
  const own = pods.filter(({ metadata }) => metadata.ownerReferences)
  return nextStatefulSetStep({
    seen: {
      set: { ...set, status: statusOf({ ...set, status: { replicas: 0, collisionCount: 0 } }, own, names) },
      pods,
      revisions,
      findClaim: (name) => claims.find(({ metadata }) => metadata.name === name),
      nowMs: NOW_MS,
    },
  })
}
/** `create-pods web-0 web-1`, `wait PodNotReady web-1`. */
function textOf(step: StatefulSetStep): string {
  if (step.kind === 'wait') {
    const { waitsFor } = step.reason
    return ['wait', step.reason.code, ...(waitsFor?.kind === 'object' ? [waitsFor.name] : [])].join(' ')
  }
  if (!('pods' in step)) return step.kind
  return [step.kind, ...step.pods.map((each) => ('pod' in each ? each.pod : each).metadata.name)].join(' ')
}
const data = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } } as const
const parallel = { podManagementPolicy: 'Parallel' } as const
const orphan = (ordinal: number, more: Pod['metadata'] = {}): Pod => {
  const { ownerReferences: _owners, ...metadata } = member(ordinal).metadata
  return { ...member(ordinal), metadata: { ...metadata, ...more } }
}

const cases: [behaviour: string, given: Case, step: string][] = [
  ['the first pod comes first', { pods: [] }, 'create-pods web-0'],
  ['the next pod waits for a pending one', { pods: [member(0, { state: 'pending' })] }, 'wait PodNotReady web-0'],
  ['the next pod waits for an unready one', { pods: [member(0, { state: 'unready' })] }, 'wait PodNotReady web-0'],
  ['the next pod waits for one that is leaving', { pods: [member(0, { state: 'leaving' })] }, 'wait PodLeaving web-0'],
  ['the next pod comes after a ready one', { pods: [member(0)] }, 'create-pods web-1'],
  ['a gap is filled first', { pods: [member(0), member(2)] }, 'create-pods web-1'],
  [
    'a pod that is not available yet delays the next',
    { spec: { minReadySeconds: 10 }, pods: [member(0, { readySinceMs: NOW_MS - 4000 })] },
    'wait PodNotAvailable web-0',
  ],
  ['in parallel, all missing pods are created', { spec: parallel, pods: [member(1)] }, 'create-pods web-0 web-2'],
  [
    'in parallel, a set with a pending pod waits for it',
    { spec: parallel, pods: [member(0), member(1), member(2, { state: 'pending' })] },
    'wait PodNotReady web-2',
  ],
  ['ordinals may start later', { spec: { ordinals: { start: 5 } }, pods: [member(5)] }, 'create-pods web-6'],
  ['a failed pod is deleted', { pods: [member(0, { state: 'failed' })] }, 'delete-pods web-0'],
  ['a pod of the set’s name without a controller is adopted', { pods: [orphan(0)] }, 'adopt-pods web-0'],
  [
    'a pod that is leaving is not adopted',
    { pods: [orphan(0, { deletionTimestamp: '2030-01-01T00:00:00Z' })] },
    'create-pods web-0',
  ],
  [
    'a pod of another name is not adopted',
    { pods: [{ ...orphan(0), metadata: { name: 'other-0', labels } }] },
    'create-pods web-0',
  ],
  [
    'a pod that is no longer selected is released',
    { pods: [member(0, { metadata: { labels: {} } })] },
    'release-pods web-0',
  ],
  [
    'the highest surplus pod goes first',
    { spec: { replicas: 1 }, pods: [member(0), member(1), member(2)] },
    'delete-pods web-2',
  ],
  [
    'the next surplus pod waits for the one before',
    { spec: { replicas: 1 }, pods: [member(0), member(1), member(2, { state: 'leaving' })] },
    'wait PodLeaving web-2',
  ],
  [
    'a healthy surplus pod goes while a lower one is unhealthy',
    { spec: { replicas: 1 }, pods: [member(0), member(1, { state: 'unready' }), member(2)] },
    'delete-pods web-2',
  ],
  [
    'of two unhealthy surplus pods, the higher waits for the lower',
    { spec: { replicas: 1 }, pods: [member(0), member(1, { state: 'unready' }), member(2, { state: 'unready' })] },
    'wait PodNotReady web-1',
  ],
  [
    'the only unhealthy surplus pod goes',
    { spec: { replicas: 1 }, pods: [member(0), member(1), member(2, { state: 'unready' })] },
    'delete-pods web-2',
  ],
  [
    'surplus pods wait until the others are ready',
    { spec: { replicas: 1 }, pods: [member(0, { state: 'unready' }), member(1)] },
    'wait PodNotReady web-0',
  ],
  [
    'in parallel, all surplus pods go',
    { spec: { ...parallel, replicas: 1 }, pods: [member(0), member(1), member(2)] },
    'delete-pods web-2 web-1',
  ],
  [
    'an update replaces the highest pod first',
    { pods: [0, 1, 2].map((ordinal) => member(ordinal, { revision: OLD })) },
    'delete-pods web-2',
  ],
  [
    'an update continues once the new pod is ready',
    { pods: [member(0, { revision: OLD }), member(1, { revision: OLD }), member(2)] },
    'delete-pods web-1',
  ],
  [
    'an update stops at the partition',
    {
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      pods: [member(0, { revision: OLD }), member(1, { revision: OLD }), member(2)],
    },
    'wait Complete',
  ],
  [
    'in parallel, an update waits for the pod that it replaced',
    {
      spec: parallel,
      pods: [member(0, { revision: OLD }), member(1, { revision: OLD }), member(2, { state: 'unready' })],
    },
    'wait PodNotReady web-2',
  ],
  [
    'with maxUnavailable, several pods are replaced at once',
    {
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
      pods: [0, 1, 2].map((ordinal) => member(ordinal, { revision: OLD })),
    },
    'delete-pods web-2 web-1',
  ],
  [
    'with maxUnavailable, unavailable pods count',
    {
      spec: { ...parallel, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '67%' } } },
      pods: [member(0, { revision: OLD }), member(1, { revision: OLD }), member(2, { state: 'unready' })],
    },
    'delete-pods web-1',
  ],
  [
    'with maxUnavailable, an update waits at the limit',
    {
      spec: { ...parallel, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } },
      pods: [member(0, { revision: OLD }), member(1, { revision: OLD }), member(2, { state: 'unready' })],
    },
    'wait PodNotReady web-2',
  ],
  [
    'OnDelete waits for the user',
    {
      spec: { updateStrategy: { type: 'OnDelete' } },
      pods: [0, 1, 2].map((ordinal) => member(ordinal, { revision: OLD })),
    },
    'wait WaitingForDeletion',
  ],
  [
    'a claim that is leaving keeps its pod from being created',
    {
      spec: { volumeClaimTemplates: [data] },
      pods: [],
      claims: [claimOf({ name: 'data-web-0', metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })],
    },
    'wait ClaimLeaving data-web-0',
  ],
  [
    'a pending pod gets a claim that was deleted',
    { spec: { volumeClaimTemplates: [data] }, pods: [member(0, { state: 'pending' })] },
    'create-claims web-0',
  ],
  [
    'a pod with other volumes is not touched',
    { spec: { volumeClaimTemplates: [data] }, pods: [member(0)], claims: [claimOf({ name: 'data-web-0' })] },
    'wait PodStorageDiffers web-0',
  ],
  [
    'a pod without its identity gets it',
    { pods: [member(0, { metadata: { labels: { ...labels, 'controller-revision-hash': NEW.metadata.name ?? '' } } })] },
    'label-pods web-0',
  ],
  [
    'revisions beyond the limit are deleted',
    { spec: { replicas: 0, revisionHistoryLimit: 0 }, pods: [], revisions: [revisionOf('older', 1), NEW] },
    'delete-revisions',
  ],
  ['a template without a revision gets one', { pods: [], revisions: [OLD] }, 'create-revision'],
  [
    'an older revision with the same template is used again',
    {
      pods: [],
      revisions: [
        { ...NEW, revision: 1 },
        { ...OLD, revision: 2 },
      ],
    },
    'renumber-revision',
  ],
  [
    'a set with all its pods is complete',
    { pods: [member(0), member(1), member(2)], revisions: [NEW] },
    'wait Complete',
  ],
]
for (const [behaviour, given, step] of cases) test(behaviour, () => equal(textOf(stepFor(given)), step))

test('a set that is being deleted only gets its status', () => {
  const set = setOf()
  const leaving = { ...set, metadata: { ...set.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }
  const seen = { set: leaving, pods: [member(0)], revisions: [NEW], findClaim: () => undefined, nowMs: NOW_MS }
  equal(nextStatefulSetStep({ seen }).kind, 'write-status')
  const names = { current: NEW.metadata.name ?? '', update: NEW.metadata.name ?? '', nowMs: NOW_MS }
  const status = statusOf(leaving, [member(0)], names)
  equal(textOf(nextStatefulSetStep({ seen: { ...seen, set: { ...leaving, status } } })), 'wait SetLeaving')
})

test('a ready pod is looked at again when it becomes available', () => {
  const step = stepFor({ spec: { minReadySeconds: 10 }, pods: [member(0, { readySinceMs: NOW_MS - 4000 })] })
  equal(step.kind === 'wait' && step.retryInMs, 6000)
})

test('a new pod below the partition has the old template', () => {
  const step = stepFor({
    spec: {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      podManagementPolicy: 'Parallel',
    },
    pods: [member(2)],
  })
  const pods = step.kind === 'create-pods' ? step.pods : []
  deepEqual(
    pods.map(({ pod }) => pod.spec.containers[0]?.image),
    ['old', 'new'],
  )
})

/** The state of a set whose status does not matter. */
const stateOf = ({ spec = {}, pods, claims = [] }: Case): SetState => ({
  set: setOf(spec),
  ...placesOf(setOf(spec), pods),
  current: OLD,
  update: NEW,
  findClaim: (name) => claims.find(({ metadata }) => metadata.name === name),
  nowMs: NOW_MS,
})
const shown = (step: StatefulSetStep | undefined): string => (step ? textOf(step) : 'nothing')
const replica = (given: Case): string => shown(nextReplicaStep(stateOf(given)))
const surplus = (given: Case): string => shown(nextSurplusStep(stateOf(given)))
const update = (given: Case): string => shown(nextUpdateStep(stateOf(given)))

/** A pod that uses its claim. */
const using = (ordinal: number, parts: PodState = {}): Pod => {
  const pod = member(ordinal, parts)
  const claimName = `data-web-${ordinal}`
  return { ...pod, spec: { ...pod.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] } }
}
const claim = (ordinal: number, metadata: PersistentVolumeClaim['metadata'] = {}): PersistentVolumeClaim =>
  claimOf({ name: `data-web-${ordinal}`, metadata })
const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
const keeping = { volumeClaimTemplates: [data] }
const retention = (whenDeleted: 'Retain' | 'Delete', whenScaled: 'Retain' | 'Delete') => ({
  ...keeping,
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
})
const OWNED = { ownerReferences: [ownerReferenceTo(setOf(), { controller: true })] }

test('in parallel, steps of one kind are done together, and the first kind comes first', () => {
  const failed = { state: 'failed' } as const
  equal(replica({ spec: parallel, pods: [member(0, failed), member(2, failed)] }), 'delete-pods web-0 web-2')
  equal(replica({ spec: parallel, pods: [member(1, failed)] }), 'create-pods web-0 web-2')
  const pending = [0, 2].map((ordinal) => member(ordinal, { state: 'pending' }))
  equal(
    replica({ spec: { ...parallel, ...keeping }, pods: [...pending, using(1)], claims: [claim(1)] }),
    'create-claims web-0 web-2',
  )
  equal(replica({ spec: { ...parallel, ...keeping }, pods: pending.slice(0, 1) }), 'create-claims web-0')
  const unready = [member(0, { state: 'unready' }), member(1, { state: 'unready' }), member(2)]
  equal(replica({ spec: parallel, pods: unready }), 'wait PodNotReady web-0')
  const step = nextReplicaStep(stateOf({ spec: { ...parallel, replicas: 600 }, pods: [] }))
  equal(step?.kind === 'create-pods' && step.pods.length, 500)
})

test('a pod that has ended and is leaving is waited for', () => {
  const ended = member(0, { state: 'failed', metadata: leaving })
  equal(replica({ pods: [{ ...ended, metadata: { ...member(0).metadata, ...leaving } }] }), 'wait PodLeaving web-0')
})

test('a pod without a phase is pending: its claims come first', () => {
  const { status: _status, ...fresh } = using(0)
  equal(replica({ spec: keeping, pods: [fresh as Pod] }), 'create-claims web-0')
  equal(replica({ spec: keeping, pods: [using(0)] }), 'create-pods web-1', 'a running pod has them')
  equal(
    replica({ spec: keeping, pods: [using(0, { state: 'pending' })], claims: [claim(0, leaving)] }),
    'wait ClaimLeaving data-web-0',
  )
  equal(
    replica({ spec: keeping, pods: [using(0, { state: 'pending' })], claims: [claim(0)] }),
    'wait PodNotReady web-0',
  )
})

test('a pod that is leaving is waited for as such, also if it is not ready', () => {
  const pod = member(0, { state: 'unready' })
  equal(replica({ pods: [{ ...pod, metadata: { ...pod.metadata, ...leaving } }] }), 'wait PodLeaving web-0')
})

test('claims get the owners of the retention policy while the pod is pending or available', () => {
  const spec = retention('Delete', 'Retain')
  for (const state of ['pending', 'ready'] as const) {
    const step = nextReplicaStep(stateOf({ spec, pods: [using(0, { state })], claims: [claim(0)] }))
    deepEqual(
      step?.kind === 'change-claim-owners' && step.claims.map((each) => each.ownerReferences.map(({ kind }) => kind)),
      [['StatefulSet']],
      state,
    )
  }
  equal(replica({ spec, pods: [using(0)], claims: [claim(0, OWNED)] }), 'create-pods web-1')
  equal(replica({ spec: keeping, pods: [using(0)], claims: [claim(0)] }), 'create-pods web-1')
  const several = { ...retention('Delete', 'Retain'), replicas: 1 }
  equal(replica({ spec: several, pods: [using(0)], claims: [claim(0, OWNED)] }), 'nothing')
})

test('a missing pod waits for claims of its predecessor, and creates only those that are missing', () => {
  const former = { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'gone' }] }
  equal(
    replica({ spec: retention('Retain', 'Delete'), pods: [], claims: [claim(0, former)] }),
    'wait ClaimOfFormerPod data-web-0',
  )
  const step = nextReplicaStep(stateOf({ spec: keeping, pods: [], claims: [claim(0)] }))
  deepEqual(step?.kind === 'create-pods' && step.pods.map(({ claims }) => claims), [[]])
  const fresh = nextReplicaStep(stateOf({ spec: keeping, pods: [] }))
  deepEqual(
    fresh?.kind === 'create-pods' && fresh.pods.map(({ claims }) => claims.map(({ metadata }) => metadata.name)),
    [['data-web-0']],
  )
})

test('the identity of a pod comes before its storage', () => {
  const bare = member(0, { metadata: { labels: { ...labels, 'controller-revision-hash': NEW.metadata.name ?? '' } } })
  equal(replica({ spec: keeping, pods: [bare], claims: [claim(0)] }), 'label-pods web-0')
})

test('claims of surplus pods get their owner before the pods go', () => {
  const spec = { ...retention('Retain', 'Delete'), replicas: 1 }
  const pods = [using(0), using(1)]
  const step = nextSurplusStep(stateOf({ spec, pods, claims: [claim(0), claim(1)] }))
  deepEqual(
    step?.kind === 'change-claim-owners' &&
      step.claims.map((each) => [each.claim.metadata.name, each.ownerReferences.map(({ kind, name }) => [kind, name])]),
    [['data-web-1', [['Pod', 'web-1']]]],
  )
  equal(surplus({ spec: { ...keeping, replicas: 1 }, pods, claims: [claim(0), claim(1)] }), 'delete-pods web-1')
})

test('surplus pods that are leaving are not deleted again, and do not count as healthy', () => {
  const [gone, other] = [member(2, { state: 'leaving' }), member(1)]
  equal(surplus({ spec: { ...parallel, replicas: 1 }, pods: [gone, other] }), 'delete-pods web-1')
  equal(surplus({ spec: { ...parallel, replicas: 1 }, pods: [gone] }), 'nothing')
  equal(surplus({ spec: { replicas: 1 }, pods: [] }), 'nothing')
  const recent = { readySinceMs: NOW_MS - 1000 }
  const slow = { replicas: 1, minReadySeconds: 10 }
  equal(surplus({ spec: slow, pods: [member(1, recent), member(2, recent)] }), 'wait PodNotReady web-1')
  const unready = { state: 'unready' } as const
  equal(
    surplus({ spec: { replicas: 1 }, pods: [member(1, { state: 'leaving' }), member(2, unready)] }),
    'wait PodNotReady web-1',
  )
})

const outdated = { revision: OLD }
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }) as const
test('OnDelete waits only while a pod is outdated', () => {
  const spec = { updateStrategy: { type: 'OnDelete' } } as const
  equal(update({ spec, pods: [member(0), member(1), member(2)] }), 'nothing')
  equal(update({ spec, pods: [member(0), member(1), member(2, outdated)] }), 'wait WaitingForDeletion')
})

test('an update goes down to the partition, and waits for what it replaced', () => {
  const pods = [0, 1, 2].map((ordinal) => member(ordinal, outdated))
  const [zero, one] = pods as [Pod, Pod, Pod]
  equal(update({ pods: [zero, member(1), member(2)] }), 'delete-pods web-0')
  equal(update({ spec: rolling({ partition: 1 }), pods: [zero, one, member(2)] }), 'delete-pods web-1')
  equal(update({ spec: rolling({ partition: 1 }), pods: [zero, member(1), member(2)] }), 'nothing')
  equal(
    update({
      spec: { ordinals: { start: 5 }, ...rolling({ partition: 1 }) },
      pods: [member(5, outdated), member(6), member(7)],
    }),
    'nothing',
  )
  equal(update({ pods: [zero, one, member(2, { ...outdated, state: 'leaving' })] }), 'wait PodLeaving web-2')
  equal(update({ pods: [zero, one, member(2, { ...outdated, state: 'unready' })] }), 'delete-pods web-2')
  const slow = { minReadySeconds: 10 }
  equal(update({ spec: slow, pods: [zero, one, member(2, { readySinceMs: NOW_MS - 1000 })] }), 'wait PodNotReady web-2')
})

test('with maxUnavailable, only outdated pods that are not leaving are deleted, within the room', () => {
  const two = rolling({ maxUnavailable: 2 })
  const pods = (last: PodState): Pod[] => [member(0, outdated), member(1, outdated), member(2, last)]
  equal(update({ spec: two, pods: pods({ ...outdated, state: 'leaving' }) }), 'delete-pods web-1')
  equal(update({ spec: two, pods: [member(0), member(1), member(2)] }), 'nothing')
  equal(update({ spec: two, pods: [member(0), member(1), member(2, outdated)] }), 'delete-pods web-2')
  equal(update({ spec: rolling({ maxUnavailable: 1 }), pods: pods({ state: 'unready' }) }), 'wait PodNotReady web-2')
  equal(
    update({
      spec: rolling({ maxUnavailable: 1 }),
      pods: [member(0), member(1, outdated), member(2, { state: 'unready' })],
    }),
    'wait PodNotReady web-2',
  )
  equal(
    update({ spec: rolling({ maxUnavailable: 1 }), pods: [member(0), member(1), member(2, { state: 'unready' })] }),
    'nothing',
  )
  const { replicas: _default, ...unsized } = setOf().spec
  const state = { ...stateOf({ spec: rolling({ maxUnavailable: '100%' }), pods: pods(outdated) }) }
  const set = { ...state.set, spec: { ...unsized, ...rolling({ maxUnavailable: '100%' }) } }
  equal(shown(nextUpdateStep({ ...state, set })), 'delete-pods web-2')
})

test('revisions are adopted after the pods, and kept while they are in use', () => {
  const free = { ...NEW, metadata: { ...NEW.metadata, ownerReferences: [] } }
  deepEqual(stepFor({ pods: [], revisions: [free] }), { kind: 'adopt-revisions', revisions: [free] })
  const strange = member(1, { metadata: { labels: {} } })
  equal(textOf(stepFor({ pods: [orphan(0), strange] })), 'adopt-pods web-0')
  const onDelete = { updateStrategy: { type: 'OnDelete' }, revisionHistoryLimit: 0 } as const
  const used = revisionOf('used', 0)
  const pods = [member(0, { revision: used }), member(1), member(2)]
  equal(textOf(stepFor({ spec: onDelete, pods, revisions: [used, NEW] })), 'wait WaitingForDeletion')
  const history = Array.from({ length: 11 }, (_, index) => revisionOf(`h${index}`, -20 + index))
  const complete = [member(0), member(1), member(2)]
  equal(textOf(stepFor({ pods: complete, revisions: [...history, NEW] })), 'delete-revisions')
  equal(textOf(stepFor({ pods: complete, revisions: [...history.slice(1), NEW] })), 'wait Complete')
  equal(textOf(stepFor({ pods: [member(0)], revisions: [...history, NEW] })), 'create-pods web-1', 'pods come first')
})

test('a set that is leaving gets no revision', () => {
  const set = { ...setOf(), metadata: { ...setOf().metadata, ...leaving } }
  const seen = { set, pods: [], revisions: [], findClaim: () => undefined, nowMs: NOW_MS }
  deepEqual(nextStatefulSetStep({ seen }), { kind: 'wait', reason: REASONS.SetLeaving })
})

test('a complete set is not looked at again', () =>
  deepEqual(stepFor({ pods: [member(0), member(1), member(2)], revisions: [NEW] }), {
    kind: 'wait',
    reason: REASONS.Complete,
  }))
