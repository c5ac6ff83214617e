import { PRIVILEGED_GROUP } from '../authorization/authorizer-chain.ts'
import type { User } from '../core/user.ts'
import type { LevelLimits } from './fair-level.ts'
import type { RequestInfo } from './parse-request-info.ts'

/** The names of Kubernetes' priority levels, as far as they are distinguished here. */
export type PriorityLevel = 'exempt' | 'leader-election' | 'node-high' | 'workload-low' | 'global-default'

/** Exempt requests never wait. */
export const PRIORITY_LEVELS: Readonly<Record<Exclude<PriorityLevel, 'exempt'>, LevelLimits>> = {
  'leader-election': { seats: 50, waitingPerFlow: 100, waiting: 2000 },
  'node-high': { seats: 100, waitingPerFlow: 200, waiting: 4000 },
  'workload-low': { seats: 200, waitingPerFlow: 500, waiting: 5000 },
  'global-default': { seats: 200, waitingPerFlow: 500, waiting: 5000 },
}

const HEALTH_PATH = /^\/(?:healthz|livez|readyz)(?:\/|$)/

/** Administrators and health checks never wait; leases and heartbeats of nodes have lanes of their own, so that no load makes a leader or a node look dead. */
export function priorityOf(info: RequestInfo, { groups }: User): PriorityLevel {
  if (groups.includes(PRIVILEGED_GROUP)) return 'exempt'
  if (!info.isResource) return HEALTH_PATH.test(info.path) ? 'exempt' : 'global-default'
  if (info.group === 'coordination.k8s.io' && info.resource === 'leases') return 'leader-election'
  if (groups.includes('system:nodes')) return 'node-high'
  return groups.includes('system:serviceaccounts') ? 'workload-low' : 'global-default'
}
