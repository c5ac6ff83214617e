import type { User } from '../core/user.ts'

const NODE_USER = 'system:node:'
export const NODES_GROUP = 'system:nodes'

/** The node that a user is: by name and by group, so that neither alone is enough. Empty when it is a node without a name. */
export function findNodeName({ name, groups }: User): string | undefined {
  return name.startsWith(NODE_USER) && groups.includes(NODES_GROUP) ? name.slice(NODE_USER.length) : undefined
}

/** The identity of a node's agent. */
export const nodeUser = (nodeName: string): User => ({
  name: `${NODE_USER}${nodeName}`,
  groups: [NODES_GROUP, 'system:authenticated'],
})
