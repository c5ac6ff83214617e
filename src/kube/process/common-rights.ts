import { EVENTS } from '../../api/kinds/event.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { right } from './rights.ts'
import type { Right } from './rights.ts'

/** What every role with events needs. */
export const EVENT_RIGHT: Right = right(EVENTS, 'create', 'patch')

/** Leader election, and the journal of the provisioner. */
export const LEASE_RIGHT: Right = right(LEASES, 'get', 'create', 'update')

/** What manifests of the Go sidecars grant beyond `EVENT_RIGHT` and `LEASE_RIGHT`. */
export const UPSTREAM_EVENT_RIGHT: Right = right(EVENTS, 'list', 'watch', 'update')
export const UPSTREAM_LEASE_RIGHT: Right = right(LEASES, 'list', 'watch', 'delete')
