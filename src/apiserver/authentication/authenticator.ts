import { ApiError } from '../../api/api-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Authorizer } from '../core/request.ts'
import { ANONYMOUS } from '../core/user.ts'
import type { User } from '../core/user.ts'
import { certificateUser } from './client-certificate.ts'
import type { ClientCertificate } from './client-certificate.ts'
import { impersonate } from './impersonation.ts'
import type { Impersonation } from './impersonation.ts'
import { asAuthenticated } from './service-account-user.ts'
import type { StaticTokens } from './static-tokens.ts'
import type { TokenResult, TokenVerifier } from './token-verifier.ts'

/** The credentials of a request. */
export type Credentials = {
  readonly bearerToken?: string
  /** Set only if TLS has verified it. */
  readonly clientCertificate?: ClientCertificate
  readonly impersonation?: Impersonation
}

/** The user of a request; `impersonator` is the real user. Fails with 401, or with 403 if the user may not impersonate the other. */
export type Authentication =
  | { readonly user: User; readonly impersonator?: User; readonly error?: never }
  | { readonly error: ApiError; readonly user?: User; readonly impersonator?: never }

export interface Authenticator {
  authenticate(credentials: Credentials): Authentication
  /** For reviews. Default: the server's own audiences. */
  authenticateToken(token: string, audiences?: readonly string[]): Exclude<TokenResult, { kind: 'unknown' }>
}

export type AuthenticatorParts = {
  readonly clock: Clock
  /** Decides who may impersonate whom. */
  readonly authorizer: Authorizer
  readonly apiAudiences: readonly string[]
  readonly serviceAccountTokens?: TokenVerifier
  readonly staticTokens?: StaticTokens
  /** Whether requests without credentials are allowed as system:anonymous. Default true. */
  readonly anonymous?: boolean
}

/** Tries the certificate, then the token. A request with an invalid token is never anonymous. */
export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { clock, authorizer, apiAudiences, serviceAccountTokens, staticTokens, anonymous = true } = parts

  const authenticateToken: Authenticator['authenticateToken'] = (token, audiences = apiAudiences) => {
    const own = audiences.filter((audience) => apiAudiences.includes(audience))
    const known = staticTokens?.find(token)
    // Tokens from a file are valid only for this server.
    if (known)
      return own.length > 0 ? { kind: 'authenticated', user: asAuthenticated(known), audiences: own } : UNKNOWN_TOKEN
    const result = serviceAccountTokens?.verify(token, clock.nowMs(), audiences) ?? UNKNOWN_TOKEN
    if (result.kind === 'authenticated') return { ...result, user: asAuthenticated(result.user) }
    return result.kind === 'refused' ? result : UNKNOWN_TOKEN
  }

  const identify = ({ bearerToken, clientCertificate }: Credentials): { user: User } | { error: ApiError } => {
    const certified = clientCertificate && certificateUser(clientCertificate)
    if (certified) return { user: asAuthenticated(certified) }
    if (bearerToken !== undefined && bearerToken !== '') {
      const result = authenticateToken(bearerToken)
      return result.kind === 'authenticated' ? { user: result.user } : { error: unauthorized(result.why) }
    }
    return anonymous ? { user: ANONYMOUS } : { error: unauthorized('no credentials') }
  }

  return {
    authenticateToken,
    authenticate(credentials) {
      const identified = identify(credentials)
      if ('error' in identified || !credentials.impersonation) return identified
      const other = impersonate(authorizer, identified.user, credentials.impersonation)
      return 'error' in other
        ? { error: other.error, user: identified.user }
        : { user: other.user, impersonator: identified.user }
    },
  }
}

const UNKNOWN_TOKEN = { kind: 'refused', why: 'invalid bearer token' } as const

// The reason is only logged: a client must not learn anything by trying.
const unauthorized = (why: string): ApiError => new ApiError('Unauthorized', 'Unauthorized', { cause: new Error(why) })
