import { apiVersionOf } from '../../api/resource-type.ts'
import { trackUpdate } from '../apply/apply-fields.ts'
import type { FieldRules, Writer } from '../apply/apply-fields.ts'
import { formatManagers, isReset, parseManagers } from '../apply/managed-fields.ts'
import type { Manager } from '../apply/managed-fields.ts'
import { metaOf } from './drafts.ts'
import type { Draft } from './kind-definition.ts'
import type { ServerParts } from './server-parts.ts'
import type { WriteRequest } from './write-request.ts'

type Change = { changed: Draft; old: Draft; givenManagers: unknown }

/**
 * The field owners after a write that is not an apply; undefined for none. Owners are tracked from the first apply of an object: most objects are
 * never applied, and cost nothing.
 */
export function managersAfter(parts: ServerParts, request: WriteRequest, change: Change): object[] | undefined {
  const { changed, old, givenManagers } = change
  const before = metaOf(old).managedFields
  if (before === undefined && givenManagers === undefined) return undefined
  // A client may set the owners of an object itself, but not through a subresource.
  const isGiven = request.subresource === '' && givenManagers !== undefined
  if (isGiven && isReset(givenManagers)) return undefined
  const given = isGiven ? readManagers(givenManagers) : []
  const managers = given.length > 0 ? given : readManagers(before)
  if (managers.length === 0) return undefined
  const writer = writerOf(request)
  return formatManagers(trackUpdate(rulesOf(parts, request), { before: old, after: changed, managers, writer }))
}

// Clients that do not know the list may send anything, which is no reason to reject their write.
function readManagers(entries: unknown): Manager[] {
  try {
    return parseManagers(entries)
  } catch {
    return []
  }
}

export const rulesOf = ({ clock }: ServerParts, { kind }: WriteRequest): FieldRules => ({
  schema: kind.schema,
  hasStatus: kind.hasStatus,
  nowMs: clock.nowMs(),
})

/** The writer: the named manager, or the program. */
export const writerOf = ({ kind, subresource, fieldManager, userAgent }: WriteRequest): Writer => ({
  name: fieldManager || (userAgent.split('/', 1)[0] ?? ''),
  apiVersion: apiVersionOf(kind.type),
  subresource,
})
