import { nodeUser } from '../apiserver/index.ts'
import type { OpenServer, User } from '../apiserver/index.ts'
import type { ServedApi } from './start-parts.ts'

// The parts of the cluster that are no nodes.
const CLUSTER_USER: User = { name: 'system:holdfast', groups: ['system:masters', 'system:authenticated'] }

/** A server in this process as the other parts reach it: joined, without a connection. */
export const serveParts = ({ core }: OpenServer): ServedApi => ({
  api: core.as(CLUSTER_USER, { userAgent: 'holdfast-up' }),
  apiOf: (node) => core.as(nodeUser(node), { userAgent: 'holdfast-node' }),
})
