import type { SelfSubjectReview, TokenReview, UserInfo } from '../../api/kinds/authentication.ts'
import { badRequest } from '../core/refusals.ts'
import type { User } from '../core/user.ts'
import type { Authenticator } from './authenticator.ts'

/** A user as shown in the API. */
export const userInfoOf = ({ name, uid, groups, extra }: User): UserInfo => ({
  ...(name === '' ? {} : { username: name }),
  ...(uid === undefined || uid === '' ? {} : { uid }),
  ...(groups.length === 0 ? {} : { groups }),
  ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
})

/** Reports the user of a token. An invalid token is a result, not an error. */
export const createTokenReview =
  ({ authenticateToken }: Authenticator) =>
  (body: TokenReview): TokenReview => {
    const { token, audiences = [] } = body.spec
    if (!token) throw badRequest('token is required for TokenReview in authentication')
    const result = audiences.length === 0 ? authenticateToken(token) : authenticateToken(token, audiences)
    if (result.kind === 'refused') return { ...body, status: { authenticated: false, user: {}, error: result.why } }
    return { ...body, status: { authenticated: true, user: userInfoOf(result.user), audiences: result.audiences } }
  }

/** Identifies the current user. */
export const reviewSelf = (body: SelfSubjectReview, user: User): SelfSubjectReview => ({
  ...body,
  status: { userInfo: userInfoOf(user) },
})
