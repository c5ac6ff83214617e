import { EVENTS } from '../../api/kinds/event.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { right } from './rights.ts'
import type { Right, Rights } from './rights.ts'

/** What every role with events needs. */
export const EVENT_RIGHT: Right = right(EVENTS, 'create', 'patch')

/** Leader election, and the journal of the provisioner. */
export const LEASE_RIGHT: Right = right(LEASES, 'get', 'create', 'update')

// What manifests of the Go sidecars grant beyond that.
const UPSTREAM_EVENT_RIGHT = right(EVENTS, 'list', 'watch', 'update')
const UPSTREAM_LEASE_RIGHT = right(LEASES, 'list', 'watch', 'delete')

type RoleRights = Pick<Rights, 'cluster' | 'readsSecrets'> & {
  readonly ownNamespace?: readonly Right[]
  readonly upstream?: Partial<NonNullable<Rights['upstream']>>
}

/** The rights of a role that is a Go program upstream: these, and what every such role needs for events and leader election. */
export const upstreamRoleRights = ({
  cluster,
  ownNamespace = [],
  readsSecrets,
  upstream = {},
}: RoleRights): Rights => ({
  cluster: [...cluster, EVENT_RIGHT],
  ownNamespace: [LEASE_RIGHT, ...ownNamespace],
  readsSecrets,
  upstream: {
    cluster: [...(upstream.cluster ?? []), UPSTREAM_EVENT_RIGHT],
    ownNamespace: [UPSTREAM_LEASE_RIGHT, ...(upstream.ownNamespace ?? [])],
  },
})
