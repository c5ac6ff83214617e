import type { User } from '../core/user.ts'

const NODE_USER = 'system:node:'
export const NODES_GROUP = 'system:nodes'

/** The node name of a user, recognized by name and group, because neither alone is sufficient. Empty for a node without a name. */
export function findNodeName({ name, groups }: User): string | undefined {
  return name.startsWith(NODE_USER) && groups.includes(NODES_GROUP) ? name.slice(NODE_USER.length) : undefined
}

/** The identity of a node's agent. */
export const nodeUser = (nodeName: string): User => ({
  name: `${NODE_USER}${nodeName}`,
  groups: [NODES_GROUP, 'system:authenticated'],
})
