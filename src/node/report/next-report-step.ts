import { setCondition } from '../../api/conditions.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import type { Node, NodeCondition, NodeStatus } from '../../api/kinds/node.ts'
import type { ResourceList } from '../../api/kinds/resources.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { awaitingActor, because, defineReasons, formatReason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { MANAGED_ANNOTATION } from '../../storage/names.ts'
import type { NodeDescription } from './node-description.ts'

export const REASONS = defineReasons({
  NodeReported: 'the node status is current',
  PodsNotKnown: because(
    'the node agent has not yet read its pods from the API server',
    awaitingActor('the API server'),
  ),
})

export type ReportReason = ReasonIn<typeof REASONS>

export type ReportView = {
  readonly name: string
  readonly node: Node | undefined
  readonly nowMs: number
  readonly description: NodeDescription
  /** Why the node cannot run pods yet; undefined if it can. */
  readonly obstacle?: ReportReason | undefined
  /** When the status of this very Node was last written, on the wall clock. Undefined: never since the agent started. */
  readonly writtenAtMs: number | undefined
  readonly heartbeatMs: number
}

export type ReportStep = Readonly<
  | { kind: 'wait'; reason: ReportReason; retryInMs?: number }
  | { kind: 'create'; node: Node }
  /** A merge patch of the metadata. */
  | {
      kind: 'mark'
      node: Node
      labels: Readonly<Record<string, string>>
      annotations: Readonly<Record<string, string>>
    }
  | { kind: 'write-status'; node: Node; status: NodeStatus }
>

/** What the node reports next. Labels and annotations that others wrote are left alone. */
export function nextReportStep({ name, node, description, nowMs, ...view }: ReportView): ReportStep {
  if (!node) {
    const metadata = {
      name,
      labels: description.labels,
      annotations: { ...description.annotations, [MANAGED_ANNOTATION]: 'true' },
    }
    return { kind: 'create', node: { apiVersion: 'v1', kind: 'Node', metadata } }
  }
  const { labels = {}, annotations = {} } = node.metadata
  const wrong = {
    labels: differing(description.labels, labels),
    annotations: {
      ...differing(description.annotations, annotations),
      ...(Object.hasOwn(annotations, MANAGED_ANNOTATION) ? {} : { [MANAGED_ANNOTATION]: 'true' }),
    },
  }
  if (Object.keys({ ...wrong.labels, ...wrong.annotations }).length > 0) return { kind: 'mark', node, ...wrong }

  const conditions = conditionsOf(node, view.obstacle, nowMs)
  const { capacity, addresses, nodeInfo } = description
  const present = node.status ?? {}
  const isCurrent =
    conditions === (present.conditions ?? NONE) &&
    isSameAmount(present.capacity ?? {}, capacity) &&
    isEqualJson(present.nodeInfo ?? {}, nodeInfo) &&
    isEqualJson(present.addresses ?? [], addresses)
  const dueInMs = view.writtenAtMs === undefined ? 0 : view.writtenAtMs + view.heartbeatMs - nowMs
  if (isCurrent && dueInMs > 0) return { kind: 'wait', reason: REASONS.NodeReported, retryInMs: dueInMs }
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

type Texts = Readonly<Record<string, string>>

const differing = (wanted: Texts, present: Texts): Texts =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => present[key] !== value))

/** The server may write a quantity in another form: 1000 as 1k. */
function isSameAmount(one: ResourceList, other: ResourceList): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && compareQuantities(one[name] ?? '0', other[name] ?? '0') === 0)
  )
}

const NONE: readonly NodeCondition[] = []
const READY_MESSAGE = 'the node agent mounts the volumes of pods; it runs no containers'
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type): NodeCondition => ({
  type,
  status: 'False',
  reason: 'NotMeasured',
  message: 'no containers run on this node',
}))

/** Returns the same list if nothing but the time has changed. */
function conditionsOf(node: Node, obstacle: ReportReason | undefined, nowMs: number): readonly NodeCondition[] {
  const { status = {} } = node
  const timeless: readonly NodeCondition[] = (status.conditions ?? NONE).map(
    ({ lastHeartbeatTime: _time, ...condition }) => condition,
  )
  const ready: NodeCondition = obstacle
    ? { type: 'Ready', status: 'False', reason: obstacle.code, message: formatReason(obstacle) }
    : { type: 'Ready', status: 'True', reason: 'AgentReady', message: READY_MESSAGE }
  const list = [...PRESSURES, ready].reduce((all, condition) => setCondition(all, condition, nowMs), timeless)
  return list === timeless ? (status.conditions ?? NONE) : list
}
