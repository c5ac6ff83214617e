import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import { MANAGED_ANNOTATION, nextReportStep } from './next-report-step.ts'
import { describeNode } from './node-description.ts'

const DESCRIPTION = describeNode('n', { labels: { rack: '7' }, version: '1', hostname: 'machine', architecture: 'x64', capacity: { pods: 1000, cpu: '64', memory: '64Gi' } })
const NOW_MS = Date.UTC(2030, 0, 1)
const held = { nowMs: NOW_MS, description: DESCRIPTION, heartbeatMs: 300_000, writtenAtMs: NOW_MS - 100_000 }

/** A node as its agent left it, in the words of a server. */
function reportedNode(): Node {
  const metadata = { name: 'n', uid: 'u', labels: { ...DESCRIPTION.labels }, annotations: { [MANAGED_ANNOTATION]: 'true' } }
  const step = nextReportStep({ seen: { name: 'n', node: { apiVersion: 'v1', kind: 'Node', metadata } }, held })
  if (step.kind !== 'write-status') throw new Error(step.kind)
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { ...step.status, capacity: { pods: '1k', cpu: '64', memory: '64Gi' } } }
}

describe('what a node says of itself', () => {
  test('a missing node is made, marked for attaching', () => {
    const step = nextReportStep({ seen: { name: 'n' }, held })
    equal(step.kind, 'create')
    deepEqual(step.kind === 'create' && step.node.metadata.annotations, { [MANAGED_ANNOTATION]: 'true' })
  })
  test('nothing is written again while the heartbeat is not due, also when the server says 1k for 1000', () => {
    deepEqual(nextReportStep({ seen: { name: 'n', node: reportedNode() }, held }), { kind: 'wait', reason: { code: 'NodeReported' }, retryInMs: 200_000 })
  })
  test('a heartbeat that is due is written', () => {
    equal(nextReportStep({ seen: { name: 'n', node: reportedNode() }, held: { ...held, writtenAtMs: NOW_MS - 300_000 } }).kind, 'write-status')
  })
  test('another capacity is put right', () => {
    const node = reportedNode()
    for (const capacity of [{ pods: '2k', cpu: '64', memory: '64Gi' }, { cpu: '64', memory: '64Gi' }, { pods: '1k', cpu: '64', memory: '64Gi', gpu: '1' }]) {
      equal(nextReportStep({ seen: { name: 'n', node: { ...node, status: { ...node.status, capacity } } }, held }).kind, 'write-status', JSON.stringify(capacity))
    }
  })
  test('labels and the mark that somebody took away are written again; others stay', () => {
    const node = reportedNode()
    const step = nextReportStep({ seen: { name: 'n', node: { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, rack: '8', theirs: 'x' } } } }, held })
    deepEqual(step.kind === 'mark' && [step.labels, step.annotations], [{ rack: '7' }, {}])
  })
  test('an obstacle makes it not ready, and its end ready again', () => {
    const node = reportedNode()
    const step = nextReportStep({ seen: { name: 'n', node }, held: { ...held, obstacle: { code: 'PodsNotKnown' } } })
    const ready = step.kind === 'write-status' ? step.status.conditions?.find(({ type }) => type === 'Ready') : undefined
    deepEqual([ready?.status, ready?.reason], ['False', 'PodsNotKnown'])
  })
})
