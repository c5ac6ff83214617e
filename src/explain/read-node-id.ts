import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { CSI_NODE_INFOS } from '../compat/alpha-csi-node-info.ts'
import { findNodeId } from '../sidecars/attacher/attach-view.ts'
import type { NodeRecords } from '../sidecars/attacher/attach-view.ts'
import type { ClusterReader, Reading } from './cluster-reader.ts'

/** `id` is undefined where the driver is not registered on the node, as far as can be seen. `unseen`: the CSINode may not be read. */
export type NodeIdRead = {
  readonly kind: 'unseen' | 'read'
  readonly id: string | undefined
  readonly records: NodeRecords
}

/** The driver's ID of the node, found as the attacher does. The older CSINodeInfo is read only if the current objects do not have it. */
export async function readNodeId(reader: ClusterReader, nodeName: string, driver: string): Promise<NodeIdRead> {
  const ref = { name: nodeName }
  const [csiNode, node] = [await reader.get(CSI_NODES, ref), await reader.get(NODES, ref)]
  const records = { csiNode: objectOf(csiNode), node: objectOf(node) }
  const id = findNodeId(records, driver)
  if (csiNode.kind === 'unseen' || id !== undefined)
    return { kind: csiNode.kind === 'unseen' ? 'unseen' : 'read', id, records }
  const all = { ...records, csiNodeInfo: objectOf(await reader.get(CSI_NODE_INFOS, ref)) }
  return { kind: 'read', id: findNodeId(all, driver), records: all }
}

const objectOf = <T>(reading: Reading<T>): T | undefined => (reading.kind === 'found' ? reading.object : undefined)
