import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../api/kinds/pod.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { podOf } from '../../../testing/objects.ts'
import { choosePodsToDelete } from './choose-pods-to-delete.ts'
import { nextReplicaSetStep, REASONS } from './next-replica-set-step.ts'
import type { ReplicaSetStep, ReplicaSetView } from './next-replica-set-step.ts'
import type { ReplicaOwner } from './replica-owner.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const labels = { app: 'web' }
const setOf = (spec: Partial<ReplicaOwner['spec']> = {}, status?: ReplicaOwner['status']): ReplicaOwner => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { namespace: 'default', name: 'web', uid: 'uid-web', generation: 1 },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [] } },
    ...spec,
  },
  ...(status ? { status } : {}),
})
type PodParts = {
  ready?: boolean
  sinceMs?: number
  node?: string
  metadata?: Pod['metadata']
  phase?: string
  owned?: boolean
}
const member = (
  name: string,
  { ready = true, sinceMs = 0, node = 'n1', metadata, phase = 'Running', owned = true }: PodParts = {},
): Pod =>
  podOf(name, {
    nodeName: node || undefined,
    metadata: {
      labels,
      ...(owned ? { ownerReferences: [ownerReferenceTo(setOf(), { controller: true })] } : {}),
      ...metadata,
    },
    status: {
      phase: phase as 'Running',
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: new Date(sinceMs).toISOString() },
      ],
    },
  })
const complete = { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 }
const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }

function textOf(step: ReplicaSetStep): string {
  if (step.kind === 'wait') return `wait ${step.reason.code}`
  if (step.kind === 'create-pods') return `create-pods ${step.count}`
  return 'pods' in step ? `${step.kind} ${step.pods.map(({ metadata }) => metadata.name).join(' ')}` : step.kind
}
const two = [member('a'), member('b')]
const cases: [behaviour: string, set: ReplicaOwner, pods: Pod[], step: string][] = [
  ['missing pods are created', setOf(), [member('a')], 'create-pods 1'],
  [
    'pods that are leaving do not count',
    setOf(),
    [
      member('a'),
      member('b', { metadata: { labels, ...leaving, ownerReferences: member('b').metadata.ownerReferences ?? [] } }),
    ],
    'create-pods 1',
  ],
  ['pods that have ended do not count', setOf(), [member('a'), member('b', { phase: 'Failed' })], 'create-pods 1'],
  ['at most 500 pods are created at once', setOf({ replicas: 2_000_000_000 }), [], 'create-pods 500'],
  ['surplus pods are deleted', setOf({ replicas: 1 }), [member('a'), member('b', { ready: false })], 'delete-pods b'],
  ['pods without a controller are adopted', setOf(), [member('a', { owned: false })], 'adopt-pods a'],
  [
    'pods that have ended are not adopted',
    setOf({ replicas: 0 }, { replicas: 0, observedGeneration: 1 }),
    [member('a', { owned: false, phase: 'Succeeded' })],
    'wait Complete',
  ],
  [
    'pods that are not selected are released',
    setOf(),
    [member('a', { metadata: { labels: {}, ownerReferences: member('a').metadata.ownerReferences ?? [] } })],
    'release-pods a',
  ],
  ['the status follows the pods', setOf(), two, 'write-status'],
  ['a complete set waits', setOf({}, complete), two, 'wait Complete'],
  [
    'a set waits for a pod that is not ready',
    setOf({}, { ...complete, readyReplicas: 1, availableReplicas: 1 }),
    [member('a'), member('b', { ready: false })],
    'wait PodNotReady',
  ],
  [
    'a set that is leaving creates nothing',
    { ...setOf({}, { replicas: 0, observedGeneration: 1 }), metadata: { ...setOf().metadata, ...leaving } },
    [],
    'wait SetLeaving',
  ],
]
for (const [behaviour, set, pods, step] of cases)
  test(behaviour, () =>
    equal(textOf(nextReplicaSetStep({ seen: { set, pods, nowMs: NOW_MS, countsLeaving: false } })), step),
  )

test('a ready pod is looked at again when it becomes available', () => {
  const set = setOf({ minReadySeconds: 10 }, { ...complete, availableReplicas: 1 })
  const pods = [member('a'), member('b', { sinceMs: NOW_MS - 4000 })]
  const step = nextReplicaSetStep({ seen: { set, pods, nowMs: NOW_MS, countsLeaving: false } })
  deepEqual(step.kind === 'wait' && [step.reason.code, step.retryInMs], ['PodNotAvailable', 6000])
})

const choices: [behaviour: string, first: Pod, second: Pod][] = [
  ['without a node', member('a', { node: '' }), member('b')],
  ['pending', member('a', { phase: 'Pending' }), member('b')],
  ['not ready', member('a', { ready: false }), member('b')],
  [
    'with a lower deletion cost',
    member('a', { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } } }),
    member('b'),
  ],
  ['that became ready last', member('a', { sinceMs: 5000 }), member('b', { sinceMs: 1000 })],
  [
    'that was created last',
    member('a', { metadata: { creationTimestamp: '2030-01-01T00:00:00Z' } }),
    member('b', { metadata: { creationTimestamp: '2029-01-01T00:00:00Z' } }),
  ],
]
for (const [behaviour, first, second] of choices)
  test(`the pod ${behaviour} is deleted first`, () => deepEqual(choosePodsToDelete([second, first], 1), [first]))

test('of ready pods, those on the fullest node are deleted first', () => {
  const pods = [member('a', { node: 'n1' }), member('b', { node: 'n2' }), member('c', { node: 'n2' })]
  equal(choosePodsToDelete(pods, 1)[0]?.spec.nodeName, 'n2')
})

const stepOf = (parts: Partial<ReplicaSetView['seen']>, held?: ReplicaSetView['held']): ReplicaSetStep =>
  nextReplicaSetStep({
    seen: { set: setOf(), pods: two, nowMs: NOW_MS, countsLeaving: false, ...parts },
    ...(held ? { held } : {}),
  })
const statusOf = (parts: Partial<ReplicaSetView['seen']>, held?: ReplicaSetView['held']): object | undefined => {
  const step = stepOf(parts, held)
  return step.kind === 'write-status' ? step.status : undefined
}
const own = member('own').metadata.ownerReferences ?? []
const gone = (name: string, ownerReferences = own): Pod =>
  member(name, { metadata: { labels, ...leaving, ownerReferences } })
const WRITTEN = { ...complete, conditions: [] }

test('the status has a number for everything that can be seen of the pods', () => {
  const odd = setOf({ template: { metadata: { labels: { ...labels, tier: 'a' } }, spec: { containers: [] } } })
  const tiered = member('a', { metadata: { labels: { ...labels, tier: 'a' }, ownerReferences: own } })
  deepEqual(statusOf({}), WRITTEN)
  deepEqual(statusOf({ set: odd, pods: [tiered, member('b')] }), { ...WRITTEN, fullyLabeledReplicas: 1 })
  deepEqual(statusOf({ set: setOf({ replicas: 1, minReadySeconds: 9 }), pods: [member('a', { sinceMs: NOW_MS })] }), {
    replicas: 1,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 0,
    observedGeneration: 1,
    conditions: [],
  })
  const unnumbered = { ...setOf(), metadata: { namespace: 'default', name: 'web', uid: 'uid-web' } }
  deepEqual(statusOf({ set: { ...unnumbered, status: { replicas: 9 } } }), { ...WRITTEN, observedGeneration: 0 })
})

test('pods that are leaving are counted where the kind has a number for them, if they are its own', () => {
  const [strange] = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }]
  const plain = own.map((owner) => ({ ...owner, controller: false }))
  const pods = [...two, gone('c'), gone('d', [strange]), gone('e', plain), gone('f', [strange, ...own])]
  deepEqual(statusOf({ pods, countsLeaving: true }), { ...WRITTEN, terminatingReplicas: 2 })
  deepEqual(statusOf({ pods }), WRITTEN)
})

test('a failure to create pods is a condition, which keeps its first time, and goes with the failure', () => {
  const failure = { reason: 'FailedCreate', message: 'quota' } as const
  const condition = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'quota',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  } as const
  const other = { type: 'Other', status: 'True', reason: 'FailedCreate' } as const
  const failed = (
    conditions: readonly object[],
    reason: 'FailedCreate' | 'FailedDelete' = 'FailedCreate',
  ): object | undefined =>
    (
      statusOf(
        { set: setOf({}, { ...complete, replicas: 9, conditions: conditions as never }) },
        { failure: { ...failure, reason } },
      ) as { conditions: object } | undefined
    )?.conditions
  deepEqual(statusOf({}, { failure }), { ...WRITTEN, conditions: [condition] })
  const earlier = { ...condition, message: 'first', lastTransitionTime: '2029-01-01T00:00:00Z' }
  deepEqual(failed([earlier]), [earlier])
  deepEqual(failed([other]), [other, condition])
  deepEqual(failed([earlier], 'FailedDelete'), [
    { ...condition, reason: 'FailedDelete', lastTransitionTime: earlier.lastTransitionTime },
  ])
  deepEqual(failed([{ ...earlier, status: 'False' }]), [condition])
  deepEqual(statusOf({ set: setOf({}, { ...complete, conditions: [earlier, other] as never }) }), {
    ...WRITTEN,
    conditions: [other],
  })
})

test('ownership comes first, and a set that is leaving only counts', () => {
  const free = member('free', { owned: false })
  const strange = member('strange', { metadata: { labels: {}, ownerReferences: own } })
  deepEqual(stepOf({ pods: [free, strange] }), { kind: 'adopt-pods', pods: [free] })
  const ending = (spec: Partial<ReplicaOwner['spec']>, status?: ReplicaOwner['status']): ReplicaOwner => ({
    ...setOf(spec, status),
    metadata: { ...setOf().metadata, ...leaving },
  })
  deepEqual(statusOf({ set: ending({ replicas: 1 }) }), WRITTEN)
  deepEqual(stepOf({ set: ending({ replicas: 1 }, complete) }), { kind: 'wait', reason: REASONS.SetLeaving })
  deepEqual(stepOf({ set: ending({ replicas: 9 }, complete) }), { kind: 'wait', reason: REASONS.SetLeaving })
})

test('one replica is the default, and at most 500 pods are deleted at once', () => {
  const { replicas: _default, ...spec } = setOf().spec
  deepEqual(stepOf({ set: { ...setOf(), spec }, pods: [] }), { kind: 'create-pods', count: 1 })
  const many = Array.from({ length: 502 }, (_, index) => member(`p${index}`))
  const step = stepOf({ set: setOf({ replicas: 0 }), pods: many })
  equal(step.kind === 'delete-pods' && step.pods.length, 500)
})

test('a set waits for the first pod that holds it up', () => {
  const [a, b] = [member('a', { ready: false }), member('b', { ready: false })]
  const none = { ...complete, readyReplicas: 0, availableReplicas: 0 }
  deepEqual(stepOf({ set: setOf({}, none), pods: [a, b] }), { kind: 'wait', reason: REASONS.PodNotReady(a) })
  const [c, d] = [member('c', { sinceMs: NOW_MS - 1000 }), member('d', { sinceMs: NOW_MS - 2000 })]
  const set = setOf({ minReadySeconds: 10 }, { ...complete, availableReplicas: 0 })
  deepEqual(stepOf({ set, pods: [c, d] }), { kind: 'wait', reason: REASONS.PodNotAvailable(c), retryInMs: 8000 })
  deepEqual(stepOf({ set: setOf({}, complete) }), { kind: 'wait', reason: REASONS.Complete })
})

test('every reason says what happens', () => {
  const [pod] = two as [Pod, Pod]
  const waitsFor = { kind: 'object', apiVersion: 'v1', kindName: 'Pod', namespace: 'default', name: 'a' }
  deepEqual(
    [REASONS.Complete, REASONS.SetLeaving, REASONS.PodNotReady(pod), REASONS.PodNotAvailable(pod)],
    [
      { code: 'Complete', message: 'all pods are available' },
      { code: 'SetLeaving', message: 'the set is being deleted' },
      { code: 'PodNotReady', message: 'pod a is not ready yet', waitsFor },
      { code: 'PodNotAvailable', message: 'pod a has not been ready for minReadySeconds yet', waitsFor },
    ],
  )
})
