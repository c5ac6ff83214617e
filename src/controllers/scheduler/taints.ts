import { findCondition } from '../../api/conditions.ts'
import type { Node, Taint } from '../../api/kinds/node.ts'
import type { Toleration } from '../../api/kinds/pod.ts'
import { tolerates } from '../../api/tolerations.ts'

export { untoleratedOf } from '../../api/tolerations.ts'

export type NodeTaints = { readonly blocking: readonly Taint[]; readonly unwelcome: readonly Taint[] }

/** Shared by all nodes without taints. */
export const NO_TAINTS: NodeTaints = { blocking: [], unwelcome: [] }

export const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const UNREACHABLE: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }

/** The taints of a node, with those that its Ready condition implies: the node controller may not have written them yet. */
export function taintsOf({ spec, status }: Node): NodeTaints {
  const written = spec?.taints ?? []
  const ready = findCondition(status?.conditions, 'Ready')?.status
  const implied = ready === 'False' ? [NOT_READY] : ready === 'Unknown' ? [UNREACHABLE] : []
  const all = [
    ...written,
    ...implied.filter(({ key }) => !written.some((taint) => taint.key === key && taint.effect !== 'PreferNoSchedule')),
  ]
  if (all.length === 0) return NO_TAINTS
  return {
    blocking: all.filter(({ effect }) => effect !== 'PreferNoSchedule'),
    unwelcome: all.filter(({ effect }) => effect === 'PreferNoSchedule'),
  }
}

export function toleratesUnschedulable(tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, UNSCHEDULABLE))
}
