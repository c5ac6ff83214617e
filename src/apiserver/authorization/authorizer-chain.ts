import type { PolicyRule } from '../../api/kinds/rbac.ts'
import type { AuthorizationDecision, Authorizer } from '../core/request.ts'
import type { User } from '../core/user.ts'
import { allow, noOpinion, reasonOf } from './decision.ts'

/** The rules for a user in a namespace. `incomplete` means that there are permissions which no rule can express. */
export type RuleList = { readonly rules: readonly PolicyRule[]; readonly incomplete: boolean; readonly error?: string }

/** An authorizer that can also list what it would allow. */
export interface RuleResolver {
  rulesFor(user: User, namespace: string): RuleList
}

/** Asks one after the other: the first that allows or denies decides. Reasons of those without an opinion are collected. */
export function createAuthorizerChain(
  authorizers: readonly (Authorizer & Partial<RuleResolver>)[],
): Authorizer & RuleResolver {
  const authorize: Authorizer['authorize'] = (attributes): AuthorizationDecision => {
    const remarks: string[] = []
    for (const authorizer of authorizers) {
      const decision = authorizer.authorize(attributes)
      if (decision.kind !== 'no-opinion') return decision
      const remark = reasonOf(decision)
      if (remark !== '') remarks.push(remark)
    }
    return noOpinion(remarks.join('\n'))
  }
  const rulesFor = (user: User, namespace: string): RuleList => {
    const lists = authorizers.flatMap((authorizer) => authorizer.rulesFor?.(user, namespace) ?? [])
    const errors = lists.flatMap(({ error }) => error ?? [])
    return {
      rules: lists.flatMap(({ rules }) => rules),
      incomplete: lists.some(({ incomplete }) => incomplete),
      ...(errors.length === 0 ? {} : { error: errors.join(', ') }),
    }
  }
  return { authorize, rulesFor }
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** For a server without authorization. */
export const ALWAYS_ALLOW: Authorizer & RuleResolver = {
  authorize: () => allow(),
  rulesFor: () => ({ rules: EVERYTHING, incomplete: false }),
}

/** The group that may do everything, regardless of roles: the way in if those are broken. */
export const PRIVILEGED_GROUP = 'system:masters'

export const isPrivileged = ({ groups }: User): boolean => groups.includes(PRIVILEGED_GROUP)

/** First in the chain. */
export const ALLOW_PRIVILEGED: Authorizer = { authorize: ({ user }) => (isPrivileged(user) ? allow() : noOpinion()) }
