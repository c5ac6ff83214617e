import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { Random } from '../../base/random.ts'
import type { Informer } from '../../kube/informer.ts'
import type { OwnNode } from './claim-eligibility.ts'
import type { RegisteredNodes } from './registered-nodes.ts'
import { aggregateTerms, pickTopologyKeys, topologyKeysOf } from './topology.ts'
import type { ClusterTopology } from './topology.ts'
import type { TopologyTerm } from './topology-term.ts'

export type TopologyParts = {
  readonly driverName: string
  readonly nodes: Pick<Informer<Node>, 'get' | 'all' | 'onChange'>
  readonly csiNodes: Pick<RegisteredNodes, 'get' | 'all' | 'onChange'>
  readonly onlyRegistered: boolean
  readonly random: Random
  /** A node came, went, or is in another place by now. */
  onChange(): void
}

/** The places of the nodes, worked out when a claim asks and kept until a node changes in a way that matters. */
export function followTopology({
  driverName,
  nodes,
  csiNodes,
  onlyRegistered,
  random,
  onChange,
}: TopologyParts): ClusterTopology & { stop(): void } {
  const aggregated = new Map<string, readonly TopologyTerm[]>()
  const changed = (): void => {
    aggregated.clear()
    onChange()
  }
  // Nodes report often; only their labels are of interest.
  const stopNodes = nodes.onChange(({ before, after }) => {
    if (!before || !after || JSON.stringify(before.metadata.labels) !== JSON.stringify(after.metadata.labels)) changed()
  })
  const keysOf = (csiNode: CSINode | undefined): string =>
    csiNode
      ? JSON.stringify([
          csiNode.spec.drivers?.some(({ name }) => name === driverName),
          topologyKeysOf(csiNode, driverName),
        ])
      : ''
  const stopCsiNodes = csiNodes.onChange(({ before, after }) => {
    if (keysOf(before) !== keysOf(after)) changed()
  })
  const findCsiNode = (name: string): CSINode | undefined => csiNodes.get(name)
  const aggregate = (keys: readonly string[]): readonly TopologyTerm[] => {
    const id = keys.join('\n')
    const terms =
      aggregated.get(id) ?? aggregateTerms(keys, { driverName, nodes: nodes.all(), findCsiNode, onlyRegistered })
    aggregated.set(id, terms)
    return terms
  }
  const stop = (): void => {
    stopNodes()
    stopCsiNodes()
  }
  return {
    findNode: (name) => nodes.get(name),
    findCsiNode,
    pickKeys: () => pickTopologyKeys(csiNodes.all(), driverName, (bound) => random.below(bound)),
    aggregate,
    stop,
  }
}

/** As if there were no other node: for an instance on each node, which need not watch them all. */
export function topologyOfNode(
  driverName: string,
  { name, segments }: Pick<OwnNode, 'name' | 'segments'>,
): ClusterTopology {
  const keys = Object.keys(segments).sort()
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: segments } }
  const csiNode: CSINode = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: keys }] },
  }
  const nodes = { get: (key: string) => (key === name ? node : undefined), all: () => [node] }
  return {
    findNode: nodes.get,
    findCsiNode: (key) => (key === name ? csiNode : undefined),
    pickKeys: () => (keys.length > 0 ? keys : undefined),
    aggregate: (wanted) =>
      aggregateTerms(wanted, { driverName, nodes: nodes.all(), findCsiNode: () => csiNode, onlyRegistered: true }),
  }
}

/** For a driver that has no places. */
export const NO_TOPOLOGY: ClusterTopology = {
  findNode: () => undefined,
  findCsiNode: () => undefined,
  pickKeys: () => undefined,
  aggregate: () => [],
}
