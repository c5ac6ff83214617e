import type { ResourceType } from '../resource-type.ts'
import type { Node } from './generated/core-v1.ts'

export type {
  AttachedVolume,
  Node,
  NodeCondition,
  NodeSpec,
  NodeStatus,
  NodeSystemInfo,
  Taint,
} from './generated/core-v1.ts'

export const NODES: ResourceType<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }
