import type { User } from '../core/user.ts'

const PREFIX = 'system:serviceaccount:'
export const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts'

export type AccountName = { readonly namespace: string; readonly name: string }

/** `system:serviceaccount:NAMESPACE:NAME`. */
export const serviceAccountUser = ({ namespace, name }: AccountName): string => `${PREFIX}${namespace}:${name}`

/** The groups that an account is in because of where it is. */
export const serviceAccountGroups = (namespace: string): string[] => [
  ALL_SERVICE_ACCOUNTS,
  `${ALL_SERVICE_ACCOUNTS}:${namespace}`,
]

/** The account that a user name stands for; undefined for any other user. */
export function parseServiceAccountUser(user: string): AccountName | undefined {
  const [namespace = '', name = '', ...rest] = user.startsWith(PREFIX) ? user.slice(PREFIX.length).split(':') : []
  return namespace !== '' && name !== '' && rest.length === 0 ? { namespace, name } : undefined
}

/** Every user that has shown who it is. */
export const AUTHENTICATED_GROUP = 'system:authenticated'
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated'

/** The user, in the group of all that have shown who they are. */
export function asAuthenticated(user: User): User {
  const isPlaced = user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)
  return isPlaced ? user : { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] }
}
