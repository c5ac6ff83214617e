import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import { claimOf, nodeOf, podOf } from '../../testing/objects.ts'
import { findFailedNode, nodeFailedText } from './event-texts.ts'
import { nextNodeStep } from './next-node-step.ts'
import type { NodeStep } from './next-node-step.ts'
import { claimUsersOf, nodeStateOf } from './node-view.ts'
import type { NodeState } from './node-view.ts'
import { REASONS } from './reasons.ts'

const NOW = 10_000_000
const FIVE_MINUTES = 300_000
const USER = { claim: claimOf(), pods: ['p1'] }
const TOLD = new Map([['default/c1', 'uid-c1']])
const NOBODY = new Map<string, string>()
const notReady = (forMs: number): NodeState => ({ kind: 'not-ready', sinceMs: NOW - forMs })
const READY: NodeState = { kind: 'ready' }
const GONE: NodeState = { kind: 'gone' }
const tellFailed: NodeStep = { kind: 'tell-failed', users: [USER] }
const notYet = (retryInMs: number): NodeStep => ({ kind: 'wait', reason: REASONS.NodeNotReady, retryInMs })

const cases: [behaviour: string, state: NodeState, told: Map<string, string>, step: NodeStep][] = [
  ['waits while the node is ready', READY, NOBODY, { kind: 'wait', reason: REASONS.NodeReady }],
  ['reports that it is ready again', READY, TOLD, { kind: 'tell-recovered' }],
  ['waits five minutes for it to come back', notReady(1000), NOBODY, notYet(FIVE_MINUTES - 1000)],
  ['waits until the last of them', notReady(FIVE_MINUTES - 1), NOBODY, notYet(1)],
  ['waits no longer for a clock that is ahead', notReady(-9_000_000), NOBODY, notYet(FIVE_MINUTES)],
  ['reports a node that did not come back', notReady(FIVE_MINUTES), NOBODY, tellFailed],
  ['reports a node that is gone at once', GONE, NOBODY, tellFailed],
  ['does not repeat it', notReady(FIVE_MINUTES), TOLD, { kind: 'wait', reason: REASONS.NodeFailed }],
  ['reports it to a claim that was created again', GONE, new Map([['default/c1', 'uid-before']]), tellFailed],
  [
    'says nothing of a node that has not reported yet',
    { kind: 'unknown' },
    TOLD,
    { kind: 'wait', reason: REASONS.NodeNotReady },
  ],
]
describe('the next step for a node', () => {
  for (const [behaviour, state, told, step] of cases)
    test(behaviour, () =>
      deepEqual(nextNodeStep({ seen: { name: 'n1', state, users: [USER] }, held: { nowMs: NOW, told } }), step),
    )
  test('without pods there is nobody to tell', () =>
    deepEqual(nextNodeStep({ seen: { name: 'n1', state: GONE, users: [] }, held: { nowMs: NOW, told: NOBODY } }), {
      kind: 'wait',
      reason: REASONS.NodeFailed,
    }))
})

const readyIs = (status: 'True' | 'False' | 'Unknown', lastTransitionTime?: string): Node =>
  nodeOf('n1', {
    metadata: { creationTimestamp: '1970-01-01T00:00:01Z' },
    status: { conditions: [{ type: 'Ready', status, ...(lastTransitionTime ? { lastTransitionTime } : {}) }] },
  })
const states: [behaviour: string, node: Node | undefined, state: NodeState][] = [
  ['ready', readyIs('True'), READY],
  [
    'not ready, since the condition changed',
    readyIs('False', '1970-01-01T00:00:09Z'),
    { kind: 'not-ready', sinceMs: 9000 },
  ],
  ['unknown to the control plane is not ready', readyIs('Unknown'), { kind: 'not-ready', sinceMs: 1000 }],
  ['deleted', undefined, GONE],
  ['terminated', nodeOf('n1', { status: { phase: 'Terminated' } as Node['status'] & object }), GONE],
  ['not reported yet', nodeOf(), { kind: 'unknown' }],
]
describe('the state of a node', () => {
  for (const [behaviour, node, state] of states) test(behaviour, () => deepEqual(nodeStateOf(node), state))
})

test('claims have the names of all their pods that have not finished', () => {
  const pods = [
    podOf('p2', { claims: ['c1', 'foreign'] }),
    podOf('p1', { claims: ['c1'] }),
    podOf('p3', { claims: ['c1'], status: { phase: 'Succeeded' } }),
    podOf('p4'),
  ]
  const claim = claimOf()
  deepEqual(
    claimUsersOf(pods, (key) => (key === 'default/c1' ? claim : undefined)),
    [{ claim, pods: ['p1', 'p2'] }],
  )
})

test('the text of a failure is that of the Go program, and names its node', () => {
  const text = nodeFailedText(['p1', 'p2'], { name: 'c1', namespace: 'default' }, 'node-1.example.com')
  equal(text, 'Pods: [ p1 p2 ] consuming PVC: c1 in namespace: default are now on a failed node: node-1.example.com')
  equal(findFailedNode(text), 'node-1.example.com')
  equal(findFailedNode('anything else'), undefined)
})
