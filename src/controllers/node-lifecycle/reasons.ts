import { NODES } from '../../api/kinds/node.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { because, defineReasons, objectAwaited } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

export type NodeReason = ReasonIn<typeof REASONS>

const node = (metadata: ObjectMeta) => ({ waitsFor: objectAwaited(NODES, metadata) })

/** Why nothing happens to a node. */
export const REASONS = defineReasons({
  Healthy: 'the node reports regularly',
  NodeNotReady: (metadata: ObjectMeta) =>
    because(`node ${metadata.name} is not ready; its pods are evicted`, node(metadata)),
  EvictionLimited: (metadata: ObjectMeta) =>
    because(`node ${metadata.name} is not ready; other nodes of its zone are first`, node(metadata)),
  EvictionPaused: (metadata: ObjectMeta) =>
    because(
      `node ${metadata.name} is not ready; too many nodes of its zone are not ready to evict pods`,
      node(metadata),
    ),
  AllNodesNotReady: (metadata: ObjectMeta) =>
    because(
      `node ${metadata.name} is not ready; no pods are evicted because no node of the cluster is ready`,
      node(metadata),
    ),
})
