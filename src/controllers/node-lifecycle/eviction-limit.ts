import { hasCondition } from '../../api/conditions.ts'
import type { Node } from '../../api/kinds/node.ts'

export type EvictionRates = {
  /** Nodes per second of a zone that get a taint that evicts their pods. */
  readonly nodeEvictionRate: number
  /** The same while too many nodes of a large zone are not ready. */
  readonly secondaryNodeEvictionRate: number
  /** The zone is large if it has more nodes. */
  readonly largeClusterSizeThreshold: number
  /** The part of a zone that must be unready, at least three nodes, for the lower rate. */
  readonly unhealthyZoneThreshold: number
}

/** The failure domain of a node: nodes of one zone are likely to fail together. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? ''
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? ''
  return `${region}/${zone}`
}

/** Nodes per second of the zone that may be tainted; undefined if no node of the whole cluster is ready. */
export function evictionRate(nodes: Iterable<Node>, zone: string, rates: EvictionRates): number | undefined {
  let isAnyReady = false
  let [ready, unready] = [0, 0]
  for (const node of nodes) {
    if (isExcluded(node)) continue
    const isReady = hasCondition(node.status?.conditions, 'Ready')
    isAnyReady ||= isReady
    if (zoneOf(node) !== zone) continue
    if (isReady) ready++
    else unready++
  }
  if (!isAnyReady) return undefined
  const isUnhealthy = ready > 0 && unready > 2 && unready / (ready + unready) >= rates.unhealthyZoneThreshold
  if (!isUnhealthy) return rates.nodeEvictionRate
  return ready + unready > rates.largeClusterSizeThreshold ? rates.secondaryNodeEvictionRate : 0
}

const isExcluded = ({ metadata: { labels = {} } }: Node): boolean =>
  Object.hasOwn(labels, 'node.kubernetes.io/exclude-disruption')
