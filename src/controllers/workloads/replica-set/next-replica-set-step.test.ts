import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../api/kinds/pod.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { podOf } from '../../../testing/objects.ts'
import { choosePodsToDelete } from './choose-pods-to-delete.ts'
import { nextReplicaSetStep } from './next-replica-set-step.ts'
import type { ReplicaSetStep } from './next-replica-set-step.ts'
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
