import { firstPlace } from '../../base/first-place.ts'
import { ApiError } from '../../api/api-error.ts'
import type { ListOptions } from '../../api/api.ts'
import { expiredToken, formatContinueToken, parseContinueToken } from './continue-token.ts'
import { badRequest, invalid, notFound } from './refusals.ts'
import type { FieldProblem, KindDefinition } from './kind-definition.ts'
import { objectsInTurns } from './select-in-turns.ts'
import { scopeOf } from './selection.ts'
import type { ServerParts } from './server-parts.ts'
import { keyOf } from './stored-object.ts'
import type { Change, StoredObject } from './stored-object.ts'
import { isWithin } from './watch-hub.ts'

/** The state is always the newest, so it is older than the requested version only if that does not exist yet. */
export function checkNotAhead({ store }: ServerParts, resourceVersion: string): void {
  const asked = parseRevision(resourceVersion)
  if (asked > store.revision()) throw tooLarge(asked, store.revision())
}

/** The current state of one object. */
export function getObject({ store }: ServerParts, kind: KindDefinition, namespace: string, name: string): StoredObject {
  const stored = store.visible.find(kind.storage, keyOf(kind.type.namespaced ? namespace : '', name))
  if (!stored) throw notFound(kind.type, name)
  return stored
}

export type Listing = {
  readonly items: readonly StoredObject[]
  readonly revision: number
  /** Set if there are more items than the limit. */
  readonly continueToken?: string
  /** How many more; unknown for a list with a selector. */
  readonly remainingItemCount?: number
}

/**
 * The requested objects, sorted by key. The state is fixed when the function returns; a long list is searched in several turns. A list in pages shows
 * one state: that of its first page.
 */
export async function listObjects(parts: ServerParts, kind: KindDefinition, options: ListOptions): Promise<Listing> {
  const { revision, after } = pointOf(parts, kind, options)
  const { store } = parts
  const scope = scopeOf(kind, options)
  const isCurrent = revision === store.revision()
  if (isCurrent && scope.name !== undefined && (scope.namespace !== undefined || !kind.type.namespaced)) {
    const stored = store.visible.find(kind.storage, keyOf(scope.namespace, scope.name))
    return { items: stored && isWithin(scope, stored.object) ? [stored] : [], revision }
  }
  const all = isCurrent
    ? store.visible.list(kind.storage, scope.namespace)
    : listAt(parts, kind, { revision, namespace: scope.namespace ?? '', after })
  const isLimited = scope.name !== undefined || scope.nodeName !== undefined || scope.matches !== undefined
  const rest = after === '' ? all : all.slice(firstPlace(0, all.length, (place) => (all[place]?.key ?? '') <= after))
  const limit = limitOf(options)
  if (!isLimited) return pageOf(rest, limit, revision)
  const { remainingItemCount: _unknown, ...page } = pageOf(await objectsInTurns(rest, scope), limit, revision)
  return page
}

// Version 0 accepts any state. For this server, returning everything costs less than a page.
const limitOf = ({ limit = 0, resourceVersion = '', resourceVersionMatch }: ListOptions): number =>
  limit > 0 && (resourceVersion !== '0' || resourceVersionMatch !== undefined) ? limit : Number.POSITIVE_INFINITY

function pageOf(items: readonly StoredObject[], limit: number, revision: number): Listing {
  const last = items[limit - 1]
  if (items.length <= limit || !last) return { items, revision }
  return {
    items: items.slice(0, limit),
    revision,
    continueToken: formatContinueToken({ revision, after: last.key }),
    remainingItemCount: items.length - limit,
  }
}

type PastList = { revision: number; namespace: string; after: string }

/** The objects at an earlier revision: the newest ones, with every later change undone. */
function listAt({ store, hub }: ServerParts, { storage }: KindDefinition, past: PastList): readonly StoredObject[] {
  const { revision, namespace, after } = past
  const changes = revision < hub.oldestListed() ? undefined : hub.since(storage, revision)
  if (!changes) throw after === '' ? tooOld(revision, store.revision()) : expiredToken(after)
  const current = store.visible.list(storage, namespace)
  const isInside = ({ key }: Change): boolean => namespace === '' || key.startsWith(`${namespace}/`)
  const relevant = changes.filter(isInside)
  if (relevant.length === 0) return current
  const objects = new Map(current.map((stored) => [stored.key, stored]))
  for (const { key, before } of relevant.reverse()) {
    if (before) objects.set(key, before)
    else objects.delete(key)
  }
  return [...objects.values()].sort((left, right) => (left.key < right.key ? -1 : 1))
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' }

/** The revision that a list shows, and the key after which it begins. */
function pointOf(
  parts: ServerParts,
  { type }: KindDefinition,
  { resourceVersion = '', resourceVersionMatch, limit, continueToken, namespace = '' }: ListOptions,
): { revision: number; after: string } {
  const problems: FieldProblem[] = []
  const refuse = (detail: string): void =>
    void problems.push({ field: 'resourceVersionMatch', type: 'FieldValueForbidden', detail })
  if (resourceVersionMatch !== undefined) {
    if (resourceVersion === '') refuse('resourceVersionMatch is forbidden unless resourceVersion is provided')
    if (continueToken) refuse('resourceVersionMatch is forbidden when continue is provided')
    if (resourceVersionMatch === 'Exact' && resourceVersion === '0')
      refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
  }
  if (problems.length > 0) throw invalid(LIST_OPTIONS, '', problems)
  const current = parts.store.revision()
  if (continueToken) {
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue')
    const { revision = current, after } = parseContinueToken(continueToken)
    if (type.namespaced && namespace !== '' && !after.startsWith(`${namespace}/`))
      throw badRequest('invalid continue token: continue key is not valid: it belongs to another namespace')
    if (revision > current)
      throw badRequest('invalid continue token: continue key is not valid: its revision does not exist')
    return { revision, after }
  }
  checkNotAhead(parts, resourceVersion)
  // A page at a version without a match means exactly that version: clients that are older than the parameter rely on it.
  const isPageAtVersion =
    resourceVersionMatch === undefined && limit !== undefined && parseRevision(resourceVersion) > 0
  const isExact = resourceVersionMatch === 'Exact' || isPageAtVersion
  return { revision: isExact ? parseRevision(resourceVersion) : current, after: '' }
}

const tooOld = (asked: number, current: number): ApiError =>
  new ApiError('Expired', `The provided resource version is too old: ${asked} (${current})`)

/** The number of a resource version; 0 for none. */
export function parseRevision(resourceVersion: string): number {
  if (resourceVersion === '') return 0
  if (!/^(0|[1-9]\d{0,15})$/.test(resourceVersion)) {
    const quoted = JSON.stringify(resourceVersion)
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
    )
  }
  return Number(resourceVersion)
}

export const tooLarge = (asked: number, current: number): ApiError =>
  new ApiError('Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
