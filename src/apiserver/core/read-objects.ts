import { ApiError } from '../../api/api-error.ts'
import type { ListOptions } from '../../api/api.ts'
import { badRequest, invalid, notFound } from './refusals.ts'
import type { FieldProblem, KindDefinition } from './kind-definition.ts'
import { objectsInTurns } from './select-in-turns.ts'
import { scopeOf } from './selection.ts'
import type { ServerParts } from './server-parts.ts'
import { keyOf } from './stored-object.ts'
import type { StoredObject } from './stored-object.ts'
import { isWithin } from './watch-hub.ts'

/** The state is always the newest, so it is older than the requested version only if that does not exist yet. */
export function checkNotAhead({ store }: ServerParts, resourceVersion: string): void {
  const asked = parseRevision(resourceVersion)
  if (asked > store.revision()) throw tooLarge(asked, store.revision())
}

/** One object, as it is now. */
export function getObject({ store }: ServerParts, kind: KindDefinition, namespace: string, name: string): StoredObject {
  const stored = store.visible.find(kind.storage, keyOf(kind.type.namespaced ? namespace : '', name))
  if (!stored) throw notFound(kind.type, name)
  return stored
}

export type Listing = { readonly items: readonly StoredObject[]; readonly revision: number }

/**
 * All that is asked for, in order of key: a server may give more than the limit, and this one gives everything. What it is was decided when
 * the function returns; a long list is searched in several turns.
 */
export async function listObjects(parts: ServerParts, kind: KindDefinition, options: ListOptions): Promise<Listing> {
  checkRevision(parts, options)
  const { store } = parts
  const scope = scopeOf(kind, options)
  const revision = store.revision()
  if (scope.name !== undefined && (scope.namespace !== undefined || !kind.type.namespaced)) {
    const stored = store.visible.find(kind.storage, keyOf(scope.namespace, scope.name))
    return { items: stored && isWithin(scope, stored.object) ? [stored] : [], revision }
  }
  const all = store.visible.list(kind.storage, scope.namespace)
  const limited = scope.name !== undefined || scope.nodeName !== undefined || scope.matches !== undefined
  return { items: limited ? await objectsInTurns(all, scope) : all, revision }
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' }

function checkRevision(
  parts: ServerParts,
  { resourceVersion = '', resourceVersionMatch, continueToken }: ListOptions,
): void {
  const problems: FieldProblem[] = []
  const refuse = (detail: string): void =>
    void problems.push({ field: 'resourceVersionMatch', type: 'FieldValueForbidden', detail })
  if (resourceVersionMatch !== undefined) {
    if (continueToken) refuse('resourceVersionMatch is forbidden when continue is provided')
    else if (resourceVersion === '') refuse('resourceVersionMatch is forbidden unless resourceVersion is provided')
    else if (resourceVersionMatch === 'Exact' && resourceVersion === '0')
      refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
  }
  if (problems.length > 0) throw invalid(LIST_OPTIONS, '', problems)
  // Lists have no pages, so no token is from this server: the client would get items that it already has.
  if (continueToken) throw badRequest('continue key is not valid: lists of this server have no pages')
  checkNotAhead(parts, resourceVersion)
  const current = parts.store.revision()
  if (resourceVersionMatch === 'Exact' && parseRevision(resourceVersion) !== current) {
    throw new ApiError('Expired', `The provided resource version is too old: ${resourceVersion} (${current})`)
  }
}

/** The number of a resource version; 0 for none. */
export function parseRevision(resourceVersion: string): number {
  if (resourceVersion === '') return 0
  if (!/^(0|[1-9]\d{0,15})$/.test(resourceVersion)) {
    throw invalid(LIST_OPTIONS, '', [
      {
        field: 'resourceVersion',
        type: 'FieldValueInvalid',
        value: resourceVersion,
        detail: 'must be a decimal number',
      },
    ])
  }
  return Number(resourceVersion)
}

export const tooLarge = (asked: number, current: number): ApiError =>
  new ApiError('Timeout', `Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
