import type { User } from '../core/user.ts'

const PREFIX = 'system:serviceaccount:'
export const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts'

export type AccountName = { readonly namespace: string; readonly name: string }

/** `system:serviceaccount:NAMESPACE:NAME`. */
export const serviceAccountUser = ({ namespace, name }: AccountName): string => `${PREFIX}${namespace}:${name}`

/** The groups of an account in this namespace. */
export const serviceAccountGroups = (namespace: string): string[] => [
  ALL_SERVICE_ACCOUNTS,
  `${ALL_SERVICE_ACCOUNTS}:${namespace}`,
]

/** The account of a user name; undefined for any other user. */
export function parseServiceAccountUser(user: string): AccountName | undefined {
  const [namespace = '', name = '', ...rest] = user.startsWith(PREFIX) ? user.slice(PREFIX.length).split(':') : []
  return namespace !== '' && name !== '' && rest.length === 0 ? { namespace, name } : undefined
}

/** The group of all authenticated users. */
export const AUTHENTICATED_GROUP = 'system:authenticated'
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated'

/** The user with the group of all authenticated users. */
export function asAuthenticated(user: User): User {
  const isPlaced = user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)
  return isPlaced ? user : { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] }
}
