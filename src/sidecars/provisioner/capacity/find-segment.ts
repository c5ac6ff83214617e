import type { CSINode } from '../../../api/kinds/csi-node.ts'
import type { Node } from '../../../api/kinds/node.ts'
import { findTermOfLabels } from '../topology-term.ts'
import type { TopologyTerm } from '../topology-term.ts'

/**
 * The part of the cluster that a node belongs to, as the driver sees it: its labels for the driver's keys. Empty, and so the same for all
 * nodes, for a driver without keys; undefined when the node is not there, lacks a label, or does not have the driver.
 */
export function findSegment(
  driverName: string,
  csiNode: CSINode | undefined,
  node: Node | undefined,
): TopologyTerm | undefined {
  const entry = csiNode?.spec.drivers?.find(({ name }) => name === driverName)
  return entry && node && findTermOfLabels(entry.topologyKeys ?? [], node.metadata.labels)
}
