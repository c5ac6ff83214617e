import type { Draft } from '../core/kind-definition.ts'
import { metaOf } from '../core/drafts.ts'

type Metric = {
  readonly type?: string
  readonly resource?: {
    readonly name?: string
    readonly target?: { readonly averageUtilization?: number }
    readonly current?: { readonly averageUtilization?: number }
  }
}

// What version 1 has no fields for, as JSON in annotations: an update in version 1 keeps it.
const PREFIX = 'autoscaling.alpha.kubernetes.io/'
const KEPT = { metrics: 'spec', behavior: 'spec', conditions: 'status', 'current-metrics': 'status' } as const
const memberOf = (name: string): string => (name === 'current-metrics' ? 'currentMetrics' : name)

const isCpu = ({ type, resource }: Metric): boolean =>
  type === 'Resource' &&
  resource?.name === 'cpu' &&
  (resource.target ?? resource.current)?.averageUtilization !== undefined

/** An autoscaler of version 2, in which it is stored, as version 1 shows it. */
export function autoscalerToV1(stored: Draft): Draft {
  const { metrics = [], ...spec } = (stored['spec'] ?? {}) as Draft & { metrics?: Metric[] }
  const { currentMetrics = [], ...status } = (stored['status'] ?? {}) as Draft & { currentMetrics?: Metric[] }
  const [cpu, current] = [metrics.find(isCpu), currentMetrics.find(isCpu)]
  const kept: Record<string, unknown> = {
    metrics: metrics.filter((metric) => metric !== cpu),
    behavior: spec['behavior'],
    conditions: status['conditions'],
    'current-metrics': currentMetrics.filter((metric) => metric !== current),
  }
  const annotations = { ...metaOf(stored).annotations }
  for (const [name, value] of Object.entries(kept))
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      annotations[`${PREFIX}${name}`] = JSON.stringify(value)
  delete spec['behavior']
  delete status['conditions']
  return {
    ...stored,
    metadata: { ...metaOf(stored), ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { ...spec, ...(cpu && { targetCPUUtilizationPercentage: cpu.resource?.target?.averageUtilization }) },
    status: {
      ...status,
      ...(current && { currentCPUUtilizationPercentage: current.resource?.current?.averageUtilization }),
    },
  }
}

/** The reverse. */
export function autoscalerFromV1(draft: Draft): Draft {
  const { targetCPUUtilizationPercentage: target, ...spec } = (draft['spec'] ?? {}) as Draft
  const { currentCPUUtilizationPercentage: current, ...status } = (draft['status'] ?? {}) as Draft
  const { annotations: given = {}, ...metadata } = metaOf(draft)
  const annotations: Record<string, string> = { ...given }
  const parts: Record<'spec' | 'status', Draft> = { spec, status }
  for (const [name, part] of Object.entries(KEPT)) {
    const text = annotations[`${PREFIX}${name}`]
    delete annotations[`${PREFIX}${name}`]
    const value = text === undefined ? undefined : parseOrNothing(text)
    if (value !== undefined) parts[part][memberOf(name)] = value
  }
  const cpu = (kind: 'target' | 'current', amount: unknown): Metric[] =>
    amount === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', [kind]: { type: 'Utilization', averageUtilization: amount } } }]
  addFirst(spec, 'metrics', cpu('target', target))
  addFirst(status, 'currentMetrics', cpu('current', current))
  return {
    ...draft,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec,
    status,
  }
}

function addFirst(part: Draft, member: string, first: readonly Metric[]): void {
  const others = Array.isArray(part[member]) ? (part[member] as Metric[]) : []
  if (first.length + others.length > 0) part[member] = [...first, ...others]
}

// Annotations are written by users: text that is no JSON is dropped.
function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
