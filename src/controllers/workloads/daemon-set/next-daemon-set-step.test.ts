import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { DaemonSet, DaemonSetSpec } from '../../../api/kinds/daemon-set.ts'
import type { Node, Taint } from '../../../api/kinds/node.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { ownerReferenceTo } from '../../../api/owner-references.ts'
import { nodeOf, podOf } from '../../../testing/objects.ts'
import { hashOf, nextRevisionStep } from '../revisions.ts'
import { daemonPodFor, nodeOfDaemon, placeOf } from './daemon-pod.ts'
import { nextDaemonSetStep } from './next-daemon-set-step.ts'
import type { DaemonSetStep } from './next-daemon-set-step.ts'

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
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2029-01-01T00:00:00Z' }],
    },
  })
}
const nodes = [nodeOf('n1'), nodeOf('n2')]
const stepFor = (pods: readonly Pod[], spec: Partial<DaemonSetSpec> = {}, on: readonly Node[] = nodes): DaemonSetStep =>
  nextDaemonSetStep({ seen: { set: setOf(spec), pods, revisions: [revision], nodes: on, nowMs: NOW_MS } })
function textOf(step: DaemonSetStep): string {
  if (step.kind === 'wait') return `wait ${step.reason.code}`
  if (step.kind === 'create-pods') return `create-pods ${step.nodes.join(' ')}`
  return 'pods' in step ? `${step.kind} ${step.pods.map(({ metadata }) => metadata.name).join(' ')}` : step.kind
}
const surge = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } as const
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
