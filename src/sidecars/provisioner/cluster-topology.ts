import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { CSI_NODE_INFOS, withNodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { CacheChange } from '../../kube/cache/object-cache.ts'
import { createChangeSource } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { OwnNode } from './claim-eligibility.ts'
import { readClusterTopology } from './provision-view.ts'
import { NODES_CHANGED } from './reasons.ts'
import { topologyKeysOf } from './topology.ts'
import type { ClusterTopology, TopologyTerm } from './topology.ts'

/** The drivers of each node. A node that only has a `CSINodeInfo` is listed as if it had an equivalent `CSINode`. */
export interface RegisteredNodes {
  get(name: string): CSINode | undefined
  all(): Iterable<CSINode>
  onChange(listener: (change: CacheChange<CSINode>) => void): void
}

/** Watches `CSINode`, and `CSINodeInfo` if the server has that kind and lets us read it. */
export async function followRegisteredNodes(role: ControllerRole): Promise<RegisteredNodes> {
  const csiNodes = role.follow(CSI_NODES)
  const { tell, onChange: onLaterChange } = createChangeSource<CacheChange<CSINode>>()
  const infos = await role.followOptional(CSI_NODE_INFOS, ({ key, before, after }) => {
    const csiNode = csiNodes.get(key)
    tell({ key, before: withNodeInfo(csiNode, before), after: withNodeInfo(csiNode, after) })
  })
  function* all(): Generator<CSINode, void> {
    for (const csiNode of csiNodes.all()) yield withNodeInfo(csiNode, infos.get(csiNode.metadata.name ?? '')) ?? csiNode
    for (const info of infos.all()) {
      const only = csiNodes.get(info.metadata.name ?? '') ? undefined : withNodeInfo(undefined, info)
      if (only) yield only
    }
  }
  const onChange = (listener: (change: CacheChange<CSINode>) => void): void => {
    for (const csiNode of all()) listener({ key: csiNode.metadata.name ?? '', before: undefined, after: csiNode })
    onLaterChange(listener)
  }
  csiNodes.onChange(({ key, before, after }) => {
    const info = infos.get(key)
    tell({ key, before: withNodeInfo(before, info), after: withNodeInfo(after, info) })
  })
  return { get: (name) => withNodeInfo(csiNodes.get(name), infos.get(name)), all, onChange }
}

/** The topology of the nodes, computed when a claim needs it and kept until a node changes in a way that matters. */
export function followTopology(
  { follow, report, random }: ControllerRole,
  driverName: string,
  csiNodes: RegisteredNodes,
  onlyRegistered: boolean,
): ClusterTopology {
  const nodes = follow(NODES)
  const below = (bound: number): number => random.below(bound)
  const cluster = readClusterTopology({ driverName, nodes, csiNodes, onlyRegistered, below })
  const aggregated = new Map<string, readonly TopologyTerm[]>()
  const changed = (): void => {
    aggregated.clear()
    NODES_CHANGED.forEach(report)
  }
  // Nodes report often; only their labels matter.
  nodes.onChange(({ before, after }) => {
    if (!before || !after || !isEqualJson(before.metadata.labels, after.metadata.labels)) changed()
  })
  const keysOf = (csiNode: CSINode | undefined) =>
    csiNode && [
      csiNode.spec.drivers?.some(({ name }) => name === driverName) ?? false,
      topologyKeysOf(csiNode, driverName) ?? [],
    ]
  csiNodes.onChange(({ before, after }) => {
    if (!isEqualJson(keysOf(before), keysOf(after))) changed()
  })
  return {
    ...cluster,
    aggregate: (keys) => {
      const id = keys.join('\n')
      const terms = aggregated.get(id) ?? cluster.aggregate(keys)
      aggregated.set(id, terms)
      return terms
    },
  }
}

/** The topology of one node, as if there were no others: for an instance on each node, which need not watch them all. */
export function topologyOfNode(driverName: string, ownNode: Pick<OwnNode, 'name' | 'segments'>): ClusterTopology {
  const { name, segments } = ownNode
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: segments } }
  const topologyKeys = Object.keys(segments).sort()
  const csiNode: CSINode = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys }] },
  }
  const only = <T>(object: T) => ({ get: (key: string) => (key === name ? object : undefined), all: () => [object] })
  return readClusterTopology({
    driverName,
    nodes: only(node),
    csiNodes: only(csiNode),
    onlyRegistered: true,
    below: () => 0,
  })
}

/** For a driver without topology. */
export const NO_TOPOLOGY: ClusterTopology = {
  findNode: () => undefined,
  findCsiNode: () => undefined,
  pickKeys: () => undefined,
  aggregate: () => [],
}
