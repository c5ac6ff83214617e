import type { NodeSelector } from '../../api/kinds/selectors.ts'
import type { Topology } from '../../csi/generated/csi/v1/csi.ts'

/**
 * The nodes that can reach a volume: one term for each place, one value for each key, so that no combination is allowed which the driver
 * did not name. Undefined when it named none.
 */
export function findNodeAffinity(
  accessibleTopology: readonly Topology[],
): { readonly required: NodeSelector } | undefined {
  const terms = accessibleTopology.flatMap(({ segments }) => {
    const keys = Object.keys(segments).sort()
    const matchExpressions = keys.map((key) => ({ key, operator: 'In' as const, values: [segments[key] ?? ''] }))
    return matchExpressions.length === 0 ? [] : [{ matchExpressions }]
  })
  return terms.length === 0 ? undefined : { required: { nodeSelectorTerms: terms } }
}
