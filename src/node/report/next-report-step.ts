import { setCondition } from '../../api/conditions.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { Node, NodeCondition, NodeStatus } from '../../api/kinds/node.ts'
import type { ResourceList } from '../../api/kinds/resources.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import type { NodeDescription } from './node-description.ts'

/** Without it the attach/detach controller leaves the node's volumes alone. */
export const MANAGED_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach'

export type ReportView = {
  readonly seen: { readonly name: string; readonly node?: Node }
  readonly held?: {
    readonly nowMs: number
    readonly description: NodeDescription
    /** Why the node can't take pods yet; undefined when it can. */
    readonly obstacle?: Reason
    /** When the status was last written, on the clock of the wall. Left out: never in this life. */
    readonly writtenAtMs?: number
    readonly heartbeatMs: number
  }
}

export type ReportStep =
  | { readonly kind: 'wait'; readonly reason: Reason; readonly retryInMs?: number }
  | { readonly kind: 'create'; readonly node: Node }
  /** A merge patch of the metadata. */
  | {
      readonly kind: 'mark'
      readonly node: Node
      readonly labels: Readonly<Record<string, string>>
      readonly annotations: Readonly<Record<string, string>>
    }
  | { readonly kind: 'write-status'; readonly node: Node; readonly status: NodeStatus }

/** What a node has to say of itself next. Labels and annotations that others wrote are theirs. */
export function nextReportStep({ seen: { name, node }, held }: ReportView): ReportStep {
  if (!held)
    return {
      kind: 'wait',
      reason: node
        ? { code: 'NodeReported' }
        : { code: 'NodeMissing', waitsFor: { kind: 'actor', name: `the agent of node ${name}` } },
    }
  const { description, nowMs, writtenAtMs, heartbeatMs } = held
  if (!node) {
    const metadata = { name, labels: description.labels, annotations: { [MANAGED_ANNOTATION]: 'true' } }
    return { kind: 'create', node: { apiVersion: 'v1', kind: 'Node', metadata } }
  }
  const { labels = {}, annotations = {} } = node.metadata
  const missing = Object.fromEntries(Object.entries(description.labels).filter(([key, value]) => labels[key] !== value))
  const isMarked = Object.hasOwn(annotations, MANAGED_ANNOTATION)
  if (!isMarked || Object.keys(missing).length > 0)
    return { kind: 'mark', node, labels: missing, annotations: isMarked ? {} : { [MANAGED_ANNOTATION]: 'true' } }

  const conditions = conditionsOf(node, held.obstacle, nowMs)
  const { capacity, addresses, nodeInfo } = description
  const present = node.status ?? {}
  const isCurrent =
    conditions === (present.conditions ?? NONE) &&
    isSameAmount(present.capacity ?? {}, capacity) &&
    isEqualJson(present.nodeInfo ?? {}, nodeInfo) &&
    isEqualJson(present.addresses ?? [], addresses)
  const dueInMs = writtenAtMs === undefined ? 0 : writtenAtMs + heartbeatMs - nowMs
  if (isCurrent && dueInMs > 0) return { kind: 'wait', reason: { code: 'NodeReported' }, retryInMs: dueInMs }
  const lastHeartbeatTime = formatTimestamp(nowMs)
  return {
    kind: 'write-status',
    node,
    status: {
      capacity,
      allocatable: capacity,
      addresses,
      nodeInfo,
      conditions: conditions.map((condition) => ({ ...condition, lastHeartbeatTime })),
    },
  }
}

/** A server may write an amount in other words: 1000 as 1k. */
function isSameAmount(one: ResourceList, other: ResourceList): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && compareQuantities(one[name] ?? '0', other[name] ?? '0') === 0)
  )
}

const NONE: readonly NodeCondition[] = []
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure']

/** The very same list when nothing changes but the time. */
function conditionsOf({ status = {} }: Node, obstacle: Reason | undefined, nowMs: number): readonly NodeCondition[] {
  const timeless = (status.conditions ?? NONE).map(
    ({ lastHeartbeatTime: _time, ...condition }): NodeCondition => condition,
  )
  const ready = obstacle
    ? { type: 'Ready', status: 'False' as const, reason: obstacle.code, message: formatReason(obstacle) }
    : {
        type: 'Ready',
        status: 'True' as const,
        reason: 'AgentReady',
        message: 'Volumes of pods are mounted here; no containers run',
      }
  let list: readonly NodeCondition[] = timeless
  for (const type of PRESSURES)
    list = setCondition<NodeCondition>(
      list,
      { type, status: 'False', reason: 'NotMeasured', message: 'No containers run here' },
      nowMs,
    )
  list = setCondition<NodeCondition>(list, ready, nowMs)
  return list === timeless ? (status.conditions ?? NONE) : list
}
