import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import type { StatefulSet, StatefulSetSpec } from '../../../api/kinds/stateful-set.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { claimOf, podOf } from '../../../testing/objects.ts'
import { nextRevisionStep } from '../revisions.ts'
import { nextStatefulSetStep } from './next-stateful-set-step.ts'
import type { StatefulSetStep } from './next-stateful-set-step.ts'
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
