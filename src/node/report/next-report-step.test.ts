import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import { MANAGED_ANNOTATION } from '../../storage/names.ts'
import { nextReportStep, REASONS } from './next-report-step.ts'
import { describeNode } from './node-description.ts'

const DESCRIPTION = describeNode('n', {
  labels: { rack: '7' },
  rootDir: '/n',
  version: '1',
  hostname: 'machine',
  architecture: 'x64',
  capacity: { pods: 1000, cpu: '64', memory: '64Gi' },
})
const NOW_MS = Date.UTC(2030, 0, 1)
const held = { nowMs: NOW_MS, description: DESCRIPTION, heartbeatMs: 300_000, writtenAtMs: NOW_MS - 100_000 }

/** A node as its agent left it, in the words of a server. */
function reportedNode(): Node {
  const metadata = {
    name: 'n',
    uid: 'u',
    labels: { ...DESCRIPTION.labels },
    annotations: { ...DESCRIPTION.annotations, [MANAGED_ANNOTATION]: 'true' },
  }
  const step = nextReportStep({ name: 'n', node: { apiVersion: 'v1', kind: 'Node', metadata }, ...held })
  if (step.kind !== 'write-status') throw new Error(step.kind)
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata,
    status: { ...step.status, capacity: { pods: '1k', cpu: '64', memory: '64Gi' } },
  }
}

describe('what a node says of itself', () => {
  test('a missing node is made, marked for attaching', () => {
    const step = nextReportStep({ name: 'n', node: undefined, ...held })
    equal(step.kind, 'create')
    deepEqual(step.kind === 'create' && step.node.metadata.annotations, {
      'node.holdfast.dev/root-directory': '/n',
      [MANAGED_ANNOTATION]: 'true',
    })
  })
  test('nothing is written again while the heartbeat is not due, also when the server says 1k for 1000', () => {
    deepEqual(nextReportStep({ name: 'n', node: reportedNode(), ...held }), {
      kind: 'wait',
      reason: REASONS.NodeReported,
      retryInMs: 200_000,
    })
  })
  test('a heartbeat that is due is written', () => {
    equal(
      nextReportStep({ name: 'n', node: reportedNode(), ...held, writtenAtMs: NOW_MS - 300_000 }).kind,
      'write-status',
    )
  })
  test('another capacity is put right', () => {
    const node = reportedNode()
    for (const capacity of [
      { pods: '2k', cpu: '64', memory: '64Gi' },
      { cpu: '64', memory: '64Gi' },
      { pods: '1k', cpu: '64', memory: '64Gi', gpu: '1' },
    ]) {
      equal(
        nextReportStep({ name: 'n', node: { ...node, status: { ...node.status, capacity } }, ...held }).kind,
        'write-status',
        JSON.stringify(capacity),
      )
    }
  })
  test('labels and the mark that somebody took away are written again; others stay', () => {
    const node = reportedNode()
    const step = nextReportStep({
      name: 'n',
      node: { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, rack: '8', theirs: 'x' } } },
      ...held,
    })
    deepEqual(step.kind === 'mark' && [step.labels, step.annotations], [{ rack: '7' }, {}])
  })
  test('another root directory is put right, and a mark that somebody set to false stays', () => {
    const node = reportedNode()
    const annotations = { 'node.holdfast.dev/root-directory': '/old', [MANAGED_ANNOTATION]: 'false' }
    const step = nextReportStep({ name: 'n', node: { ...node, metadata: { ...node.metadata, annotations } }, ...held })
    deepEqual(step.kind === 'mark' && step.annotations, { 'node.holdfast.dev/root-directory': '/n' })
  })
  test('an obstacle makes it not ready, and its end ready again', () => {
    const node = reportedNode()
    const step = nextReportStep({ name: 'n', node, ...held, obstacle: REASONS.PodsNotKnown })
    const ready =
      step.kind === 'write-status' ? step.status.conditions?.find(({ type }) => type === 'Ready') : undefined
    deepEqual([ready?.status, ready?.reason], ['False', 'PodsNotKnown'])
  })
})

describe('all of what a node says of itself', () => {
  const HEARTBEAT = '2030-01-01T00:00:00Z'
  const ready = { type: 'Ready', status: 'True', reason: 'AgentReady' }
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: 'False',
    reason: 'NotMeasured',
  }))
  const { labels, annotations, capacity, addresses, nodeInfo } = DESCRIPTION
  const changed = (status: object): Node => ({ ...reportedNode(), status: { ...reportedNode().status, ...status } })
  const kindOf = (node: Node, more: Partial<typeof held> = {}): string =>
    nextReportStep({ name: 'n', node, ...held, ...more }).kind

  test('the mark is the one that Kubernetes knows', () =>
    equal(MANAGED_ANNOTATION, 'volumes.kubernetes.io/controller-managed-attach-detach'))

  test('a node is made with name, labels and mark', () => {
    deepEqual(nextReportStep({ name: 'n', node: undefined, ...held }), {
      kind: 'create',
      node: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n', labels, annotations: { ...annotations, [MANAGED_ANNOTATION]: 'true' } },
      },
    })
  })

  test('the mark alone is written again', () => {
    const node = { ...reportedNode(), metadata: { name: 'n', labels, annotations } }
    deepEqual(nextReportStep({ name: 'n', node, ...held }), {
      kind: 'mark',
      node,
      labels: {},
      annotations: { [MANAGED_ANNOTATION]: 'true' },
    })
  })

  test('the status has capacity, addresses, facts and conditions, all with the time of the heartbeat', () => {
    const step = nextReportStep({ name: 'n', node: { ...reportedNode(), status: {} }, ...held })
    ok(step.kind === 'write-status')
    const { conditions = [], ...rest } = step.status
    deepEqual(rest, { capacity, allocatable: capacity, addresses, nodeInfo })
    deepEqual(
      conditions.map(({ type, status, reason }) => ({ type, status, reason })),
      [...pressures, ready],
    )
    deepEqual(
      conditions.filter(({ lastHeartbeatTime, message }) => lastHeartbeatTime !== HEARTBEAT || !message),
      [],
    )
  })

  test('an obstacle is told in words', () => {
    const step = nextReportStep({
      name: 'n',
      node: reportedNode(),
      ...held,
      obstacle: REASONS.PodsNotKnown,
    })
    ok(step.kind === 'write-status')
    equal(
      step.status.conditions?.find(({ type }) => type === 'Ready')?.message,
      'the node agent has not yet read its pods from the API server.',
    )
  })

  test('whatever differs is written before the heartbeat is due', () => {
    equal(kindOf(changed({ addresses: [] })), 'write-status')
    equal(kindOf(changed({ nodeInfo: { ...nodeInfo, architecture: 'other' } })), 'write-status')
    equal(kindOf(changed({ conditions: [] })), 'write-status')
    equal(kindOf(changed({ capacity: { pods: '1k', cpu: '64', disk: '64Gi' } })), 'write-status')
    equal(kindOf(changed({ capacity: { pods: '1k', cpu: '64', disk: '0' } })), 'write-status')
    equal(kindOf(reportedNode()), 'wait')
  })

  test('the heartbeat is due to the millisecond, and at once after a start', () => {
    deepEqual(nextReportStep({ name: 'n', node: reportedNode(), ...held, writtenAtMs: NOW_MS - 299_999 }), {
      kind: 'wait',
      reason: REASONS.NodeReported,
      retryInMs: 1,
    })
    const { writtenAtMs: _never, ...started } = held
    equal(nextReportStep({ name: 'n', node: reportedNode(), ...started, writtenAtMs: undefined }).kind, 'write-status')
  })
})

test('a node without addresses that has none to tell is left alone', () => {
  const { addresses: _none, ...status } = reportedNode().status ?? {}
  equal(
    nextReportStep({
      name: 'n',
      node: { ...reportedNode(), status },
      ...held,
      description: { ...DESCRIPTION, addresses: [] },
    }).kind,
    'wait',
  )
})
