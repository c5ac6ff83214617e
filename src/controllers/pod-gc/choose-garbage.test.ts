import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import type { Pod, PodStatus } from '../../api/kinds/pod.ts'
import { chooseGarbage } from './choose-garbage.ts'

type PodParts = { node?: string; leaving?: boolean; status?: PodStatus; created?: string }
const podOf = (name: string, { node, leaving, status, created = '2030-01-01T00:00:00Z' }: PodParts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    creationTimestamp: created,
    ...(leaving ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  },
  spec: { containers: [], ...(node ? { nodeName: node } : {}) },
  ...(status ? { status } : {}),
})
const nodeOf = (name: string, ready: 'True' | 'Unknown', isOut: boolean): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: isOut ? { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } : {},
  status: { conditions: [{ type: 'Ready', status: ready }] },
})
const NODES = [
  nodeOf('sound', 'True', false),
  nodeOf('silent', 'Unknown', false),
  nodeOf('out', 'Unknown', true),
  nodeOf('back', 'True', true),
]
const chosen = (pods: readonly Pod[], threshold = 0, gone: readonly string[] = []): unknown[] =>
  chooseGarbage({
    pods,
    findNode: (name) => NODES.find(({ metadata }) => metadata.name === name),
    goneNodes: new Set(gone),
    threshold,
  }).map(({ pod, reason, condition }) => [pod.metadata.name, reason, ...(condition ? [condition.message] : [])])

test('pods on existing nodes, and pods that wait for a node, are kept', () =>
  deepEqual(chosen([podOf('a', { node: 'sound' }), podOf('b'), podOf('c', { node: 'missing', leaving: true })]), []))
test('pods of a node that is gone are deleted, with the reason as a condition', () =>
  deepEqual(chosen([podOf('a', { node: 'gone' }), podOf('b', { node: 'sound' })], 0, ['gone']), [
    ['a', 'orphaned', 'PodGC: node no longer exists'],
  ]))
test('pods that are being deleted and have no node are deleted', () =>
  deepEqual(chosen([podOf('a', { leaving: true })]), [['a', 'unscheduled']]))
test('pods that are being deleted are deleted only from a silent node that is out of service', () =>
  deepEqual(
    chosen([
      podOf('a', { node: 'out', leaving: true }),
      podOf('b', { node: 'out' }),
      podOf('c', { node: 'silent', leaving: true }),
      podOf('d', { node: 'back', leaving: true }),
      podOf('e', { node: 'sound', leaving: true }),
    ]),
    [['a', 'out-of-service']],
  ))

const DAY = (day: number): string => `2030-01-0${day}T00:00:00Z`
const FINISHED = [
  podOf('new', { status: { phase: 'Succeeded' }, created: DAY(3) }),
  podOf('evicted', { status: { phase: 'Failed', reason: 'Evicted' }, created: DAY(4) }),
  podOf('old', { status: { phase: 'Failed' }, created: DAY(1) }),
  podOf('b', { status: { phase: 'Succeeded' }, created: DAY(2) }),
  podOf('a', { status: { phase: 'Succeeded' }, created: DAY(2) }),
  podOf('running', { status: { phase: 'Running' }, created: DAY(1) }),
]
test('of the finished pods, those that were evicted and then the oldest are deleted', () => {
  deepEqual(chosen(FINISHED, 4), [['evicted', 'terminated']])
  deepEqual(chosen(FINISHED, 2), [
    ['evicted', 'terminated'],
    ['old', 'terminated'],
    ['a', 'terminated'],
  ])
})
test('no finished pod is deleted up to the threshold, or without one', () => {
  deepEqual(chosen(FINISHED, 5), [])
  deepEqual(chosen(FINISHED, 0), [])
  deepEqual(chosen(FINISHED, -1), [])
})
