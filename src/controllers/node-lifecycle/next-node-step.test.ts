import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Node, NodeCondition, Taint } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { evictionRate, zoneOf } from './eviction-limit.ts'
import { nextNodeStep } from './next-node-step.ts'
import type { NodeStep, NodeView } from './next-node-step.ts'
import { hearNode } from './node-health.ts'
import type { EvictionLimit } from './node-taints.ts'
import { REASONS } from './reasons.ts'

const NOW = 1_000_000
const now = formatTimestamp(NOW)
const metadata = { name: 'n1', uid: 'u1', creationTimestamp: formatTimestamp(500_000) }
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure']
const condition = (type: string, status: NodeCondition['status']): NodeCondition => ({ type, status, reason: 'R' })
const conditionsOf = (ready: NodeCondition['status'], pressures: NodeCondition['status'] = 'False') => [
  ...PRESSURES.map((type) => condition(type, pressures)),
  condition('Ready', ready),
]
const nodeOf = (conditions?: readonly NodeCondition[], spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata,
  spec,
  ...(conditions ? { status: { conditions } } : {}),
})
const podOf = (name: string, ready?: 'True' | 'False' | 'Unknown'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [], nodeName: 'n1' },
  ...(ready ? { status: { conditions: [{ type: 'Ready', status: ready }] } } : {}),
})

type Parts = {
  node: Node
  pods?: readonly Pod[]
  silentMs?: number
  limit?: EvictionLimit
  marked?: readonly string[]
}
const viewOf = ({ node, pods = [], silentMs = 0, limit, marked = [] }: Parts): NodeView => ({
  seen: { node, pods },
  held: {
    health: { uid: 'u1', heardAtMs: NOW - silentMs, heartbeat: '', renewTime: undefined },
    nowMs: NOW,
    graceMs: 50_000,
    startupGraceMs: 60_000,
    limit,
    marked: new Set(marked),
  },
})
const stepFor = (parts: Parts): NodeStep => nextNodeStep(viewOf(parts))

const taint = (key: string, effect: Taint['effect'], timeAdded?: string): Taint => ({
  key: `node.kubernetes.io/${key}`,
  effect,
  ...(timeAdded ? { timeAdded } : {}),
})
const FREE: EvictionLimit = { kind: 'limited', inMs: 0 }
const UNKNOWN = conditionsOf('Unknown', 'Unknown')

describe('a silent node', () => {
  test('is healthy as long as it reports', () =>
    deepEqual(stepFor({ node: nodeOf(conditionsOf('True')) }), {
      kind: 'wait',
      reason: REASONS.Healthy,
      retryInMs: 50_001,
    }))
  test('is still healthy at the end of its time, and looked at again just after it', () =>
    deepEqual(stepFor({ node: nodeOf(conditionsOf('True')), silentMs: 50_000 }), {
      kind: 'wait',
      reason: REASONS.Healthy,
      retryInMs: 1,
    }))
  test('gets unknown conditions with the words of Kubernetes; the network condition is not its own', () => {
    const network = condition('NetworkUnavailable', 'False')
    const step = stepFor({ node: nodeOf([...conditionsOf('True'), network]), silentMs: 50_001 })
    const silent = (type: string): NodeCondition => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    })
    deepEqual(step, {
      kind: 'write-conditions',
      conditions: [...PRESSURES.map(silent), silent('Ready'), network],
      wasReady: true,
    })
  })
  test('keeps the conditions that were unknown before, and is announced only if it was ready', () => {
    const old = { ...condition('Ready', 'Unknown'), message: 'before' }
    const step = stepFor({ node: nodeOf([old, condition('DiskPressure', 'False')]), silentMs: 50_001 })
    equal(step.kind === 'write-conditions' && step.conditions[0], old)
    equal(step.kind === 'write-conditions' && step.wasReady, false)
  })
  test('that has never reported has more time', () => {
    deepEqual(stepFor({ node: nodeOf(), silentMs: 60_000 }), { kind: 'wait', reason: REASONS.Healthy, retryInMs: 1 })
    const step = stepFor({ node: nodeOf(), silentMs: 60_001 })
    const never = (type: string): NodeCondition => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: metadata.creationTimestamp,
      lastTransitionTime: now,
    })
    deepEqual(step, {
      kind: 'write-conditions',
      conditions: ['Ready', ...PRESSURES].map(never),
      wasReady: false,
    })
  })
})

const taintsFor = (parts: Parts): readonly Taint[] | undefined => {
  const step = stepFor(parts)
  return step.kind === 'write-taints' ? step.taints : undefined
}

describe('taints', () => {
  test('follow from every condition, and from a cordon', () => {
    const conditions = [
      condition('MemoryPressure', 'True'),
      condition('DiskPressure', 'True'),
      condition('PIDPressure', 'True'),
      condition('NetworkUnavailable', 'True'),
      condition('Ready', 'True'),
    ]
    deepEqual(stepFor({ node: nodeOf(conditions, { unschedulable: true }) }), {
      kind: 'write-taints',
      evicts: false,
      taints: [
        taint('memory-pressure', 'NoSchedule', now),
        taint('disk-pressure', 'NoSchedule', now),
        taint('network-unavailable', 'NoSchedule', now),
        taint('pid-pressure', 'NoSchedule', now),
        taint('unschedulable', 'NoSchedule', now),
      ],
    })
  })
  test('of a node that is unreachable keep pods off and evict them', () =>
    deepEqual(stepFor({ node: nodeOf(UNKNOWN), silentMs: 99_999, limit: FREE }), {
      kind: 'write-taints',
      evicts: true,
      taints: [taint('unreachable', 'NoSchedule', now), taint('unreachable', 'NoExecute', now)],
    }))
  test('of a node that is not ready have another key', () =>
    deepEqual(taintsFor({ node: nodeOf(conditionsOf('False')), limit: FREE }), [
      taint('not-ready', 'NoSchedule', now),
      taint('not-ready', 'NoExecute', now),
    ]))
  test('that evict change their key without counting again', () => {
    const taints = [taint('unreachable', 'NoSchedule'), taint('unreachable', 'NoExecute')]
    deepEqual(stepFor({ node: nodeOf(conditionsOf('False'), { taints }), limit: { kind: 'limited', inMs: 9 } }), {
      kind: 'write-taints',
      evicts: false,
      taints: [taint('not-ready', 'NoSchedule', now), taint('not-ready', 'NoExecute', now)],
    })
  })
  test('of a node that is ready again are removed; those of others stay', () => {
    const others = [
      taint('out-of-service', 'NoExecute'),
      taint('not-ready', 'PreferNoSchedule'),
      { key: 'mine', effect: 'NoSchedule' } as const,
    ]
    const own = [
      taint('not-ready', 'NoSchedule'),
      taint('unreachable', 'NoExecute'),
      taint('not-ready', 'NoExecute'),
      taint('disk-pressure', 'NoSchedule'),
      taint('unschedulable', 'NoSchedule'),
    ]
    deepEqual(taintsFor({ node: nodeOf(conditionsOf('True'), { taints: [...own, ...others] }) }), others)
    equal(taintsFor({ node: nodeOf(conditionsOf('True'), { taints: others }) }), undefined)
  })
  test('that evict are kept while nothing is known about the node', () => {
    const taints = [taint('not-ready', 'NoExecute')]
    equal(stepFor({ node: nodeOf(undefined, { taints }), limit: FREE }).kind, 'wait')
    equal(stepFor({ node: nodeOf(), limit: FREE }).kind, 'wait')
  })
  test('that evict wait for the limit of the zone', () => {
    const taints = [taint('unreachable', 'NoSchedule')]
    const limited = { node: nodeOf(UNKNOWN, { taints }), silentMs: 99_999 }
    deepEqual(stepFor({ ...limited, limit: { kind: 'limited', inMs: 10 } }), {
      kind: 'wait',
      reason: REASONS.EvictionLimited(metadata),
      retryInMs: 10,
    })
    deepEqual(stepFor({ ...limited, limit: { kind: 'paused' } }), {
      kind: 'wait',
      reason: REASONS.EvictionPaused(metadata),
    })
    deepEqual(stepFor({ ...limited, limit: { kind: 'all-unready' } }), {
      kind: 'wait',
      reason: REASONS.AllNodesNotReady(metadata),
    })
  })
  test('that evict are kept in a zone that is paused, and removed if no node is ready', () => {
    const taints = [taint('unreachable', 'NoSchedule'), taint('unreachable', 'NoExecute')]
    const node = nodeOf(UNKNOWN, { taints })
    deepEqual(stepFor({ node, silentMs: 99_999, limit: { kind: 'paused' } }), {
      kind: 'wait',
      reason: REASONS.NodeNotReady(metadata),
    })
    deepEqual(stepFor({ node, limit: { kind: 'all-unready' } }), {
      kind: 'write-taints',
      evicts: false,
      taints: [taint('unreachable', 'NoSchedule')],
    })
  })
  test('of a node that reports that it is not ready do not end its observation', () => {
    const taints = [taint('not-ready', 'NoSchedule')]
    const limited = (inMs: number): EvictionLimit => ({ kind: 'limited', inMs })
    const waiting = (inMs: number): NodeStep =>
      stepFor({ node: nodeOf(conditionsOf('False'), { taints }), limit: limited(inMs) })
    deepEqual(waiting(10), { kind: 'wait', reason: REASONS.EvictionLimited(metadata), retryInMs: 10 })
    deepEqual(waiting(90_000), { kind: 'wait', reason: REASONS.EvictionLimited(metadata), retryInMs: 50_001 })
  })
})

describe('pods of a node that is not ready', () => {
  const taints = [taint('unreachable', 'NoSchedule'), taint('unreachable', 'NoExecute')]
  const node = nodeOf(UNKNOWN, { taints })
  test('are marked as not ready, each once', () => {
    const pods = [podOf('a', 'True'), podOf('b', 'False'), podOf('c'), podOf('d', 'True'), podOf('e', 'Unknown')]
    deepEqual(stepFor({ node, pods, silentMs: 99_999, limit: FREE, marked: ['d'] }), {
      kind: 'mark-pods',
      pods: [pods[0], pods[4]],
    })
  })
  test('are left alone once the node is ready, or if it has never reported', () => {
    equal(stepFor({ node: nodeOf(conditionsOf('True')), pods: [podOf('a', 'True')] }).kind, 'wait')
    equal(stepFor({ node: nodeOf(), pods: [podOf('a', 'True')] }).kind, 'wait')
  })
})

describe('signs of life', () => {
  const heard = { uid: 'u1', heardAtMs: 5, heartbeat: 'h1', renewTime: '2030-01-01T00:00:10.000000Z' }
  const ready = (lastHeartbeatTime?: string): Node =>
    nodeOf([{ ...condition('Ready', 'True'), ...(lastHeartbeatTime ? { lastHeartbeatTime } : {}) }])
  const lease = (renewTime?: string) => ({
    apiVersion: 'coordination.k8s.io/v1' as const,
    kind: 'Lease' as const,
    metadata: { name: 'n1' },
    spec: renewTime ? { renewTime } : {},
  })
  const heardAt = (node: Node, renewTime?: string): number =>
    hearNode(heard, node, renewTime ? lease(renewTime) : undefined, NOW).heardAtMs
  test('are a new heartbeat and a renewed lease', () => {
    equal(heardAt(ready('h1'), heard.renewTime), 5)
    equal(heardAt(ready('h2'), heard.renewTime), NOW)
    equal(heardAt(ready('h1'), '2030-01-01T00:00:20.000000Z'), NOW)
  })
  test('are not an older lease, a lease without a time, or a removed condition', () => {
    equal(heardAt(ready('h1'), '2030-01-01T00:00:00.000000Z'), 5)
    equal(heardAt(ready('h1')), 5)
    equal(hearNode(heard, ready('h1'), lease(), NOW).heardAtMs, 5)
    equal(heardAt(nodeOf()), 5)
  })
  test('are the first report and the first lease that the controller sees', () => {
    equal(hearNode(undefined, ready(), undefined, NOW).heardAtMs, NOW)
    equal(hearNode(undefined, nodeOf(), lease(heard.renewTime), NOW).heardAtMs, NOW)
    equal(hearNode({ ...heard, uid: 'other' }, ready('h1'), undefined, NOW).heardAtMs, NOW)
    deepEqual(hearNode(undefined, ready('h1'), lease('r'), NOW), {
      uid: 'u1',
      heardAtMs: NOW,
      heartbeat: 'h1',
      renewTime: 'r',
    })
  })
  test('of a new node without any are counted from its creation', () =>
    equal(hearNode(undefined, nodeOf(), undefined, NOW).heardAtMs, 500_000))
})

describe('the rate of evictions', () => {
  const RATES = {
    nodeEvictionRate: 0.1,
    secondaryNodeEvictionRate: 0.01,
    largeClusterSizeThreshold: 5,
    unhealthyZoneThreshold: 0.55,
  }
  const inZone = (zone: string, status: NodeCondition['status'], labels: Record<string, string> = {}): Node => ({
    ...nodeOf([condition('Ready', status)]),
    metadata: { labels: { 'topology.kubernetes.io/zone': zone, ...labels } },
  })
  const zone = (name: string, ready: number, unready: number): Node[] => [
    ...Array.from({ length: ready }, () => inZone(name, 'True')),
    ...Array.from({ length: unready }, () => inZone(name, 'Unknown')),
  ]
  const rate = (...nodes: Node[]): number | undefined => evictionRate(nodes, '/a', RATES)
  test('is the ordinary one for a few nodes of a zone, or for a whole zone beside others', () => {
    equal(rate(...zone('a', 2, 2)), 0.1)
    equal(rate(...zone('a', 1, 2), ...zone('b', 0, 9)), 0.1)
    equal(rate(...zone('a', 0, 3), ...zone('b', 1, 0)), 0.1)
    equal(rate(...zone('a', 3, 3)), 0.1)
  })
  test('is none in a small zone that is mostly not ready, and low in a large one', () => {
    equal(rate(...zone('a', 2, 3)), 0)
    equal(rate(...zone('a', 2, 4)), 0.01)
  })
  test('is none if no node of the cluster is ready; excluded nodes do not count', () => {
    equal(rate(...zone('a', 0, 1), ...zone('b', 0, 1)), undefined)
    const excluded = inZone('a', 'True', { 'node.kubernetes.io/exclude-disruption': '' })
    equal(rate(...zone('a', 0, 1), excluded), undefined)
  })
  test('is that of the zone and region that the labels name, the older names first', () => {
    equal(zoneOf(inZone('a', 'True', { 'topology.kubernetes.io/region': 'r' })), 'r/a')
    const older = { 'failure-domain.beta.kubernetes.io/zone': 'z', 'failure-domain.beta.kubernetes.io/region': 'y' }
    equal(zoneOf(inZone('a', 'True', older)), 'y/z')
    equal(zoneOf(nodeOf()), '/')
  })
})
