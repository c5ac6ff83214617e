import type { ApiError } from '../../api/api-error.ts'
import { reasonOf } from '../authorization/decision.ts'
import { formatForbidden } from '../core/format-forbidden.ts'
import { badRequest } from '../core/refusals.ts'
import type { Authorizer, RequestAttributes } from '../core/request.ts'
import { ANONYMOUS } from '../core/user.ts'
import type { User } from '../core/user.ts'
import {
  asAuthenticated,
  parseServiceAccountUser,
  serviceAccountGroups,
  UNAUTHENTICATED_GROUP,
} from './service-account-user.ts'

/** The user that a request wants to impersonate. */
export type Impersonation = {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Header values by lower-case name, as in Node's `headersDistinct`. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>

const EXTRA_PREFIX = 'impersonate-extra-'

/** The impersonation that the headers request, if any. Throws a BadRequest if they name no user. */
export function parseImpersonation(headers: HeaderValues): Impersonation | undefined {
  const user = headers['impersonate-user']?.[0] ?? ''
  const uid = headers['impersonate-uid']?.[0] ?? ''
  const groups = headers['impersonate-group'] ?? []
  const extra = parseExtra(headers)
  if (user !== '') return { user, ...(uid === '' ? {} : { uid }), groups, extra }
  const asked = [...groups.map((group) => `Group ${group}`), ...Object.keys(extra).map((key) => `UserExtra ${key}`)]
  if (uid !== '') asked.push(`UID ${uid}`)
  if (asked.length > 0) throw badRequest(`requested [${asked.join(', ')}] without impersonating a user`)
  return undefined
}

// Not by assignment: a client chooses the keys, for example `__proto__`.
function parseExtra(headers: HeaderValues): Record<string, readonly string[]> {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith(EXTRA_PREFIX))
  return Object.fromEntries(
    entries.map(([name, values]) => [unescapeKey(name.slice(EXTRA_PREFIX.length)), values ?? []]),
  )
}

function unescapeKey(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The other user, if the real one may impersonate every part of it; otherwise the rejection. */
export function impersonate(
  authorizer: Authorizer,
  user: User,
  asked: Impersonation,
): { user: User } | { error: ApiError } {
  for (const attributes of checksOf(user, asked)) {
    const decision = authorizer.authorize(attributes)
    if (decision.kind !== 'allow') return { error: formatForbidden(attributes, reasonOf(decision)) }
  }
  return { user: impersonatedUser(asked) }
}

function checksOf(user: User, asked: Impersonation): RequestAttributes[] {
  type More = { group?: string; namespace?: string; subresource?: string }
  const check = (resource: string, name: string, more: More = {}): RequestAttributes => ({
    user,
    verb: 'impersonate',
    isResource: true,
    group: '',
    version: 'v1',
    resource,
    subresource: '',
    namespace: '',
    name,
    ...more,
  })
  const account = parseServiceAccountUser(asked.user)
  const group = 'authentication.k8s.io'
  return [
    account ? check('serviceaccounts', account.name, { namespace: account.namespace }) : check('users', asked.user),
    ...asked.groups.map((name) => check('groups', name)),
    ...Object.entries(asked.extra).flatMap(([key, values]) =>
      values.map((value) => check('userextras', value, { group, subresource: key })),
    ),
    ...(asked.uid === undefined ? [] : [check('uids', asked.uid, { group })]),
  ]
}

function impersonatedUser({ user: name, uid, groups: asked, extra }: Impersonation): User {
  const account = parseServiceAccountUser(name)
  const groups = asked.length > 0 || !account ? asked : serviceAccountGroups(account.namespace)
  const user = {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
  if (name !== ANONYMOUS.name) return asAuthenticated(user)
  return groups.includes(UNAUTHENTICATED_GROUP) ? user : { ...user, groups: [...groups, UNAUTHENTICATED_GROUP] }
}
