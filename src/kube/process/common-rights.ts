import { EVENTS } from '../../api/kinds/event.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { right } from './rights.ts'
import type { Right } from './rights.ts'

/**
 * What every role with events needs. Manifests of the Go sidecars also grant list, watch and update, which their event library asks for: with
 * them, a manifest serves both.
 */
export const EVENT_RIGHT: Right = right(EVENTS, 'list', 'watch', 'create', 'update', 'patch')

/** Leader election. Also in the verbs of the Go sidecars. */
export const LEASE_RIGHT: Right = right(LEASES, 'get', 'list', 'watch', 'create', 'update', 'delete')
