import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import type { DaemonSet, DaemonSetSpec, DaemonSetStatus } from '../../../api/kinds/daemon-set.ts'
import type { Node, Taint } from '../../../api/kinds/node.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { nodeOf, podOf } from '../../../testing/objects.ts'
import { hashOf, nextRevisionStep } from '../revisions.ts'
import { daemonPodFor, nodeOfDaemon, placeOf } from './daemon-pod.ts'
import { nextDaemonSetStep, REASONS } from './next-daemon-set-step.ts'
import type { DaemonSetStep, DaemonSetView } from './next-daemon-set-step.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const labels = { app: 'agent' }
const setOf = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'default', name: 'agent', uid: 'uid-agent', generation: 1 },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    ...spec,
  },
})
const { revision } = nextRevisionStep(setOf(), [])
const NEW = hashOf(revision)

type Parts = {
  hash?: string
  ready?: boolean
  phase?: 'Running' | 'Failed' | 'Succeeded'
  leaving?: boolean
  age?: number
}
function daemon(node: string, parts: Parts = {}, name = `on-${node}`): Pod {
  const { hash = NEW, ready = true, phase = 'Running', leaving = false, age = 60_000 } = parts
  return podOf(name, {
    nodeName: node,
    metadata: {
      labels: { ...labels, 'controller-revision-hash': hash },
      creationTimestamp: new Date(NOW_MS - age).toISOString(),
      ownerReferences: [ownerReferenceTo(setOf(), { controller: true })],
      ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    status: {
      phase,
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: '2029-01-01T00:00:00Z',
        },
      ],
    },
  })
}
const nodes = [nodeOf('n1'), nodeOf('n2')]
const stepFor = (pods: readonly Pod[], spec: Partial<DaemonSetSpec> = {}, on: readonly Node[] = nodes): DaemonSetStep =>
  nextDaemonSetStep({
    seen: { set: setOf(spec), pods, revisions: [revision], nodes: on, nowMs: NOW_MS },
  })
function textOf(step: DaemonSetStep): string {
  if (step.kind === 'wait') return `wait ${step.reason.code}`
  if (step.kind === 'create-pods') return `create-pods ${step.nodes.join(' ')}`
  return 'pods' in step ? `${step.kind} ${step.pods.map(({ metadata }) => metadata.name).join(' ')}` : step.kind
}
const surge = {
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
} as const
const old = { hash: 'old' }

const cases: [behaviour: string, pods: Pod[], spec: Partial<DaemonSetSpec>, step: string][] = [
  ['every node without a pod gets one', [daemon('n1')], {}, 'create-pods n2'],
  ['a node whose pod is leaving waits', [daemon('n1'), daemon('n2', { leaving: true })], {}, 'write-status'],
  [
    'of two pods, the older stays',
    [daemon('n1'), daemon('n2'), daemon('n2', { age: 1000 }, 'second')],
    {},
    'delete-pods second',
  ],
  [
    'a pod that has succeeded is replaced',
    [daemon('n1'), daemon('n2', { phase: 'Succeeded' })],
    {},
    'delete-pods on-n2',
  ],
  ['a failed pod is replaced', [daemon('n1'), daemon('n2', { phase: 'Failed' })], {}, 'delete-pods on-n2'],
  [
    'a pod that has just failed is not',
    [daemon('n1'), daemon('n2', { phase: 'Failed', age: 1000, ready: false })],
    {},
    'write-status',
  ],
  ['an update replaces one pod at a time', [daemon('n1', old), daemon('n2', old)], {}, 'delete-pods on-n1'],
  [
    'an update waits for the pod that it replaced',
    [daemon('n1', { ready: false }), daemon('n2', old)],
    {},
    'write-status',
  ],
  [
    'old pods that are not available are replaced at once',
    [daemon('n1', { ready: false }), daemon('n2', { ...old, ready: false })],
    {},
    'delete-pods on-n2',
  ],
  [
    'OnDelete replaces nothing',
    [daemon('n1', old), daemon('n2', old)],
    { updateStrategy: { type: 'OnDelete' } },
    'write-status',
  ],
  ['with surge, the new pod comes first', [daemon('n1', old), daemon('n2', old)], surge, 'create-pods n1'],
  [
    'with surge, the old pod goes once the new one is available',
    [daemon('n1', old), daemon('n1', { age: 1000 }, 'new'), daemon('n2', old)],
    surge,
    'delete-pods on-n1',
  ],
  [
    'with surge, the next node waits',
    [daemon('n1', old), daemon('n1', { age: 1000, ready: false }, 'new'), daemon('n2', old)],
    surge,
    'write-status',
  ],
  [
    'a pod for a node that is gone is deleted',
    [daemon('n1'), daemon('n2'), { ...daemonPodFor(setOf(), 'n9', NEW), metadata: daemon('n9').metadata }],
    {},
    'delete-pods on-n9',
  ],
]
for (const [behaviour, pods, spec, step] of cases) test(behaviour, () => equal(textOf(stepFor(pods, spec)), step))

test('a pod is made for exactly one node and survives its troubles', () => {
  const pod = daemonPodFor(setOf(), 'n1', NEW)
  equal(nodeOfDaemon(pod), 'n1')
  equal(
    pod.spec.tolerations?.some(({ key, effect }) => key === 'node.kubernetes.io/unreachable' && effect === 'NoExecute'),
    true,
  )
})

test('taints decide which nodes get and keep a pod', () => {
  const placeWith = (...taints: Taint[]) => placeOf(setOf(), nodeOf('n1', { spec: { taints } }))
  deepEqual(placeWith(), { isWanted: true, mayStay: true })
  deepEqual(placeWith({ key: 'a', effect: 'NoSchedule' }), { isWanted: false, mayStay: true })
  deepEqual(placeWith({ key: 'a', effect: 'NoExecute' }), { isWanted: false, mayStay: false })
  deepEqual(placeWith({ key: 'a', effect: 'PreferNoSchedule' }), { isWanted: true, mayStay: true })
  deepEqual(placeWith({ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }), {
    isWanted: true,
    mayStay: true,
  })
})

const view = (parts: Partial<DaemonSetView['seen']> = {}): DaemonSetView => ({
  seen: { set: setOf(), pods: [], revisions: [revision], nodes, nowMs: NOW_MS, ...parts },
})
const stepOf = (parts: Partial<DaemonSetView['seen']>): DaemonSetStep => nextDaemonSetStep(view(parts))
const leaving = { deletionTimestamp: '2030-01-01T00:00:00Z' }
const setWith = (metadata: object, spec: Partial<DaemonSetSpec> = {}, status?: DaemonSetStatus): DaemonSet => {
  const set = setOf(spec)
  return { ...set, metadata: { ...set.metadata, ...metadata }, ...(status ? { status } : {}) }
}
const withMeta = (pod: Pod, metadata: object): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
})
const orphan = withMeta(daemon('n1', {}, 'orphan'), { ownerReferences: [] })
const strange = withMeta(daemon('n1', {}, 'strange'), { labels: {} })

test('pods are adopted first, then released; a set that is leaving does neither', () => {
  deepEqual(stepOf({ pods: [orphan, strange] }), { kind: 'adopt-pods', pods: [orphan] })
  deepEqual(stepOf({ pods: [strange] }), { kind: 'release-pods', pods: [strange] })
  deepEqual(stepOf({ set: setWith(leaving), pods: [strange, orphan] }), { kind: 'wait', reason: REASONS.SetLeaving })
  deepEqual(stepOf({ set: setWith(leaving) }), { kind: 'wait', reason: REASONS.SetLeaving })
})

const revisionOf = (name: string, number: number, more: Partial<ControllerRevision> = {}): ControllerRevision => ({
  ...revision,
  metadata: {
    ...revision.metadata,
    name,
    uid: name,
    labels: { ...labels, 'controller-revision-hash': name },
  },
  data: { name } as never,
  revision: number,
  ...more,
})
test('the revision of the template is adopted, created or renumbered before any pod', () => {
  const free = { ...revision, metadata: { ...revision.metadata, ownerReferences: [] } }
  deepEqual(stepOf({ revisions: [free] }), { kind: 'adopt-revisions', revisions: [free] })
  equal(stepOf({ revisions: [] }).kind, 'create-revision')
  equal(stepOf({ revisions: [revision, revisionOf('later', 9)] }).kind, 'renumber-revision')
})

const DONE: DaemonSetStatus = {
  observedGeneration: 1,
  desiredNumberScheduled: 2,
  currentNumberScheduled: 2,
  numberMisscheduled: 0,
  numberReady: 2,
  updatedNumberScheduled: 2,
  numberAvailable: 2,
  numberUnavailable: 0,
}
const both = [daemon('n1'), daemon('n2')]

test('the status counts the first pod of each wanted node', () => {
  const tainted = nodeOf('n3', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })
  const status = (parts: Partial<DaemonSetView['seen']>): DaemonSetStatus | undefined => {
    const step = stepOf(parts)
    return step.kind === 'write-status' ? step.status : undefined
  }
  deepEqual(status({ pods: both }), DONE)
  deepEqual(status({ pods: [...both, daemon('n3')], nodes: [...nodes, tainted] }), {
    ...DONE,
    numberMisscheduled: 1,
  })
  deepEqual(status({ pods: both, nodes: [...nodes, tainted] }), DONE)
  deepEqual(status({ set: setWith({ generation: 7 }), pods: both }), {
    ...DONE,
    observedGeneration: 7,
  })
  deepEqual(status({ set: setWith({ generation: undefined }), pods: both }), {
    ...DONE,
    observedGeneration: 0,
  })
  deepEqual(status({ pods: [daemon('n1'), daemon('n2', { ready: false })] }), {
    ...DONE,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  })
  deepEqual(status({ pods: [daemon('n1', { ready: false }), daemon('n2', old)] }), {
    ...DONE,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  })
  deepEqual(status({ set: setWith({}, { minReadySeconds: 10 ** 9 }), pods: both }), {
    ...DONE,
    numberAvailable: 0,
    numberUnavailable: 2,
  })
  // Of a leaving pod and no other, the node still counts as scheduled.
  deepEqual(status({ pods: [daemon('n1'), daemon('n2', { leaving: true })] }), DONE)
})

const settled = (parts: Partial<DaemonSetView['seen']> = {}, status: DaemonSetStatus = DONE): DaemonSetStep => {
  const { set = setOf() } = parts
  return stepOf({ pods: both, ...parts, set: { ...set, status } })
}
test('a set whose status is written waits, and says for what', () => {
  deepEqual(settled(), { kind: 'wait', reason: REASONS.Complete })
  deepEqual(settled({ nodes: [], pods: [] }, { ...NOTHING, observedGeneration: 1 }), {
    kind: 'wait',
    reason: REASONS.Complete,
  })
  const [first, second] = [daemon('n1', { ready: false }), daemon('n2', { ready: false })]
  const unready = { ...DONE, numberReady: 0, numberAvailable: 0, numberUnavailable: 2 }
  deepEqual(settled({ pods: [first, second] }, unready), {
    kind: 'wait',
    reason: REASONS.PodNotReady(first),
  })
})
const NOTHING = {
  desiredNumberScheduled: 0,
  currentNumberScheduled: 0,
  numberReady: 0,
  numberMisscheduled: 0,
}

test('a failed pod, and one that is ready too recently, are looked at again in time', () => {
  const failed = daemon('n2', { phase: 'Failed', age: 4_000, ready: false })
  const one = { ...DONE, numberReady: 1, numberAvailable: 1, numberUnavailable: 1 }
  deepEqual(settled({ pods: [daemon('n1'), failed] }, one), {
    kind: 'wait',
    reason: REASONS.PodNotReady(failed),
    retryInMs: 6_000,
  })
  const recent = withReadySince(daemon('n2'), NOW_MS - 5_000)
  const set = setWith({}, { minReadySeconds: 12 })
  deepEqual(settled({ set, pods: [daemon('n1'), recent] }, { ...DONE, numberAvailable: 1, numberUnavailable: 1 }), {
    kind: 'wait',
    reason: REASONS.Complete,
    retryInMs: 7_000,
  })
  const third = daemon('n1', { phase: 'Failed', age: 1_000, ready: false })
  const neither = { ...DONE, numberReady: 1, numberAvailable: 0, numberUnavailable: 2 }
  deepEqual(settled({ set, pods: [third, recent] }, neither), {
    kind: 'wait',
    reason: REASONS.PodNotReady(third),
    retryInMs: 7_000,
  })
})
const withReadySince = (pod: Pod, ms: number): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date(ms).toISOString() }],
  },
})

test('a failed pod is replaced exactly ten seconds after its creation', () => {
  const pods = (age: number): Pod[] => [daemon('n1'), daemon('n2', { phase: 'Failed', age, ready: false })]
  equal(textOf(stepFor(pods(9_999))), 'write-status')
  equal(textOf(stepFor(pods(10_000))), 'delete-pods on-n2')
  equal(textOf(stepFor([daemon('n1'), daemon('n2', { phase: 'Succeeded', age: 1 })])), 'delete-pods on-n2')
})

test('old revisions beyond the limit are deleted, except those in use', () => {
  const history = Array.from({ length: 12 }, (_, index) => revisionOf(`old-${index}`, -20 + index))
  const revisions = [...history, revision]
  const named = (step: DaemonSetStep): string[] =>
    step.kind === 'delete-revisions' ? step.revisions.map(({ metadata }) => metadata.name ?? '') : [step.kind]
  deepEqual(named(settled({ revisions })), ['old-0', 'old-1'])
  deepEqual(named(settled({ revisions: revisions.slice(1) })), ['old-1'])
  deepEqual(named(settled({ revisions: revisions.slice(2) })), ['wait'])
  deepEqual(named(settled({ set: setWith({}, { revisionHistoryLimit: 11 }), revisions })), ['old-0'])
  const onDelete = setWith({}, { updateStrategy: { type: 'OnDelete' } })
  const used = { pods: [daemon('n1'), daemon('n2', { hash: 'old-0' })], set: onDelete, revisions }
  deepEqual(named(settled(used, { ...DONE, updatedNumberScheduled: 1 })), ['old-1'])
})

const NO_EXECUTE: Taint = { key: 'a', effect: 'NoExecute' }
const NO_SCHEDULE: Taint = { key: 'a', effect: 'NoSchedule' }
test('pods leave a node that they must not stay on, and stay on one that would not get a new one', () => {
  const on = (taint: Taint): Node[] => [nodeOf('n1'), nodeOf('n2', { spec: { taints: [taint] } })]
  equal(textOf(stepFor(both, {}, on(NO_EXECUTE))), 'delete-pods on-n2')
  equal(textOf(stepFor([daemon('n1'), daemon('n2', { leaving: true })], {}, on(NO_EXECUTE))), 'write-status')
  equal(textOf(stepFor([daemon('n1')], {}, on(NO_EXECUTE))), 'write-status')
  equal(textOf(stepFor([daemon('n1')], {}, on(NO_SCHEDULE))), 'write-status')
  equal(textOf(stepFor(both, {}, on(NO_SCHEDULE))), 'write-status')
  equal(textOf(stepFor([...both, daemon('n2', { age: 1 }, 'second')], {}, on(NO_SCHEDULE))), 'delete-pods second')
  equal(textOf(stepFor([daemon('n1'), daemon('n2', old)], {}, on(NO_SCHEDULE))), 'write-status')
})

test('pods that wait for a node that is gone are deleted; those that ran there are left to pod garbage collection', () => {
  const unplaced = { ...daemonPodFor(setOf(), 'n9', NEW), metadata: daemon('n9').metadata }
  equal(textOf(stepFor([...both, daemon('n9')])), 'write-status')
  equal(textOf(stepFor([...both, withMeta(unplaced, leaving)])), 'write-status')
  const known = { ...daemonPodFor(setOf(), 'n2', NEW), metadata: daemon('n2').metadata }
  equal(textOf(stepFor([daemon('n1'), known])), 'write-status')
})

test('an update keeps to its limits', () => {
  const limit = (maxUnavailable: number | string) =>
    ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } } }) as const
  const three = [...nodes, nodeOf('n3')]
  const olds = ['n1', 'n2', 'n3'].map((name) => daemon(name, old))
  equal(textOf(stepFor(olds, limit(2), three)), 'delete-pods on-n1 on-n2')
  equal(textOf(stepFor(olds, limit('34%'), three)), 'delete-pods on-n1 on-n2')
  const [one, two] = olds as [Pod, Pod, Pod]
  equal(textOf(stepFor([one, two, daemon('n3', { leaving: true })], limit(2), three)), 'delete-pods on-n1')
  equal(textOf(stepFor([one, daemon('n2', { ready: false })], limit(2))), 'delete-pods on-n1')
  const slow = { ...limit(2), minReadySeconds: 10 ** 9 }
  equal(textOf(stepFor(olds, slow, three)), 'delete-pods on-n1 on-n2 on-n3')
})

test('a surge keeps to its limits, and counts only nodes that are wanted', () => {
  const surging = (maxSurge: number | string) =>
    ({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } },
    }) as const
  const [n1, n2] = [daemon('n1', old), daemon('n2', old)]
  equal(textOf(stepFor([n1, n2], surging(2))), 'create-pods n1 n2')
  equal(textOf(stepFor([n1, daemon('n2', { ...old, ready: false })], surging(1))), 'create-pods n2 n1')
  const tainted = [
    nodeOf('n1'),
    nodeOf('n2'),
    ...['n3', 'n4'].map((name) => nodeOf(name, { spec: { taints: [NO_SCHEDULE] } })),
  ]
  equal(textOf(stepFor([n1, n2], surging('50%'), tainted)), 'create-pods n1')
  equal(textOf(stepFor([n1, n2], { ...surging(1), updateStrategy: { type: 'OnDelete' } })), 'write-status')
  // A pod that is leaving does not hold up its successor, unless that one has ended and is not replaced yet.
  equal(textOf(stepFor([n1, daemon('n2', { leaving: true })], surging(1))), 'create-pods n2')
  equal(textOf(stepFor([daemon('n1'), daemon('n2', { phase: 'Failed', age: 1_000 })], surging(1))), 'write-status')
  const two = [n1, daemon('n1', { age: 900 }, 'new'), daemon('n1', { age: 800 }, 'newer'), n2]
  equal(textOf(stepFor(two, surging(1))), 'delete-pods newer on-n1')
  const unready = daemon('n1', { ...old, ready: false })
  equal(textOf(stepFor([unready, daemon('n1', { age: 9, ready: false }, 'new'), n2], surging(1))), 'delete-pods on-n1')
  const recent = withReadySince(daemon('n1', { age: 5_000 }, 'new'), NOW_MS - 5_000)
  equal(textOf(stepFor([n1, recent, n2], { ...surging(1), minReadySeconds: 60 })), 'write-status')
})

test('every reason says what happens', () => {
  const pod = daemon('n1')
  deepEqual(Object.values({ ...REASONS, PodNotReady: REASONS.PodNotReady(pod) }), [
    { code: 'Complete', message: 'every node has its pod' },
    { code: 'SetLeaving', message: 'the DaemonSet is being deleted' },
    {
      code: 'PodNotReady',
      message: 'pod on-n1 is not ready yet',
      waitsFor: {
        kind: 'object',
        apiVersion: 'v1',
        kindName: 'Pod',
        namespace: 'default',
        name: 'on-n1',
      },
    },
  ])
})

test('a DaemonSet taken over from kube-controller-manager or an earlier version keeps its pods', () => {
  deepEqual(revision.metadata.labels, { ...labels, 'controller-revision-hash': NEW })
  const labelled = (more: object): ControllerRevision => ({
    ...revision,
    metadata: { ...revision.metadata, name: 'agent-6b7', labels: { ...labels, ...more } },
  })
  const taken: [more: object, hash: string][] = [
    [{ 'controller-revision-hash': '6b7' }, '6b7'],
    [{ 'controller.kubernetes.io/hash': '6b7' }, '6b7'],
    [{}, 'agent-6b7'],
  ]
  for (const [more, hash] of taken) {
    const pods = [daemon('n1', { hash }), daemon('n2', { hash })]
    deepEqual(settled({ pods, revisions: [labelled(more)] }), { kind: 'wait', reason: REASONS.Complete })
  }
})
