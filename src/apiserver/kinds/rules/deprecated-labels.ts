import type { LabelSelector, NodeSelectorTerm } from '../../../api/kinds/selectors.ts'
import type { Loose } from '../loose.ts'
import { ownValue } from './own-value.ts'

/** Node labels with a successor: first those that may still be replaced in an otherwise immutable selector. */
export const SUCCESSORS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
}

const WARNINGS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}

/** The warning for a selector with this node label. */
export const findLabelWarning = (label: string | undefined): string | undefined =>
  label === undefined ? undefined : ownValue(WARNINGS, label)

export function nodeSelectorTermWarnings(
  field: string,
  term: Loose<NodeSelectorTerm> | Loose<LabelSelector>,
): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key }, index) => {
    const warning = findLabelWarning(key)
    return warning === undefined ? [] : [`${field}.matchExpressions[${index}].key: ${key} is ${warning}`]
  })
}

export function nodeLabelSelectorWarnings(field: string, selector: Loose<LabelSelector> | undefined): string[] {
  if (!selector) return []
  const labels = Object.keys(selector.matchLabels ?? {}).flatMap((label) => {
    const warning = findLabelWarning(label)
    return warning === undefined ? [] : [`${field}.matchLabels.${label}: ${warning}`]
  })
  return [...nodeSelectorTermWarnings(field, selector), ...labels]
}
