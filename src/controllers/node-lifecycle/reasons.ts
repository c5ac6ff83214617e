import { NODES } from '../../api/kinds/node.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type NodeReason = ReasonIn<typeof REASONS>

const node = (metadata: ObjectMeta) => ({ waitsFor: objectAwaited(NODES, metadata) })

/** Why nothing happens to a node. */
export const REASONS = {
  healthy: reason('Healthy', 'the node reports regularly'),
  notReady: (metadata: ObjectMeta) =>
    reason('NodeNotReady', `node ${metadata.name} is not ready; its pods are evicted`, node(metadata)),
  evictionLimited: (metadata: ObjectMeta) =>
    reason('EvictionLimited', `node ${metadata.name} is not ready; other nodes of its zone are first`, node(metadata)),
  evictionPaused: (metadata: ObjectMeta) =>
    reason(
      'EvictionPaused',
      `node ${metadata.name} is not ready; too many nodes of its zone are not ready to evict pods`,
      node(metadata),
    ),
  allUnready: (metadata: ObjectMeta) =>
    reason(
      'AllNodesNotReady',
      `node ${metadata.name} is not ready; no pods are evicted because no node of the cluster is ready`,
      node(metadata),
    ),
}
