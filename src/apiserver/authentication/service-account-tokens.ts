import { signText } from './token-key.ts'
import type { SigningKey } from './token-key.ts'
import { serviceAccountUser } from './service-account-user.ts'

/** An object by name and, optionally, uid. */
export type NamedRef = { readonly name: string; readonly uid?: string }

/** The content of a token. Times are in seconds. */
export type TokenClaims = {
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
  readonly nbf: number
  readonly iss: string
  readonly jti: string
  readonly sub: string
  readonly 'kubernetes.io': {
    readonly namespace: string
    readonly serviceaccount: NamedRef
    readonly pod?: NamedRef
    readonly secret?: NamedRef
    /** With a pod: the node it was on when the token was issued. Alone: the object that the token is bound to. */
    readonly node?: NamedRef
    /** When a client that still uses the token should have renewed it. */
    readonly warnafter?: number
  }
}

/** The token is valid only as long as this object exists. */
export type BoundObject =
  | { readonly kind: 'Pod'; readonly pod: NamedRef; readonly node?: NamedRef }
  | { readonly kind: 'Secret'; readonly secret: NamedRef }
  | { readonly kind: 'Node'; readonly node: NamedRef }

export type TokenOrder = {
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly boundObject?: BoundObject
  readonly nowMs: number
  /** Unique for every token. */
  readonly jti: string
}

export type TokenIssuerParts = {
  readonly key: SigningKey
  readonly issuer: string
  /** The server's own audiences, for a token without any. */
  readonly apiAudiences: readonly string[]
  /** Issues tokens of clients that read theirs only once for a year instead of an hour. Default true, as in upstream. */
  readonly extendExpiration?: boolean
}

export interface TokenIssuer {
  readonly issuer: string
  readonly apiAudiences: readonly string[]
  /** The same order results in the same claims; only an elliptic-curve signature differs. `expiresAtMs` is when to renew the token. */
  issueToken(order: TokenOrder): { token: string; claims: TokenClaims; expiresAtMs: number }
}

// The lifetime that admission writes into pods: only clients that may not renew their token have it.
const RENEWABLE_SECONDS = 3607
const EXTENDED_SECONDS = 365 * 24 * 3600

/** Issues tokens of service accounts, signed with the key. */
export function createTokenIssuer({
  key,
  issuer,
  apiAudiences,
  extendExpiration = true,
}: TokenIssuerParts): TokenIssuer {
  const head = encodeJson({ alg: key.algorithm, kid: key.keyId })
  const issueToken: TokenIssuer['issueToken'] = (order) => {
    const { account, audiences, expirationSeconds, boundObject, nowMs, jti } = order
    const now = Math.floor(nowMs / 1000)
    const isExtended =
      extendExpiration &&
      boundObject?.kind === 'Pod' &&
      expirationSeconds === RENEWABLE_SECONDS &&
      audiences.every((audience) => apiAudiences.includes(audience))
    const claims: TokenClaims = {
      aud: audiences,
      exp: now + (isExtended ? EXTENDED_SECONDS : expirationSeconds),
      iat: now,
      iss: issuer,
      jti,
      'kubernetes.io': {
        namespace: account.namespace,
        ...boundClaims(boundObject),
        serviceaccount: { name: account.name, uid: account.uid },
        ...(isExtended ? { warnafter: now + RENEWABLE_SECONDS } : {}),
      },
      nbf: now,
      sub: serviceAccountUser(account),
    }
    const signed = `${head}.${encodeJson(claims)}`
    return {
      token: `${signed}.${signText(key, signed).toString('base64url')}`,
      claims,
      expiresAtMs: nowMs + expirationSeconds * 1000,
    }
  }
  return { issuer, apiAudiences, issueToken }
}

function boundClaims(bound: BoundObject | undefined): Pick<TokenClaims['kubernetes.io'], 'pod' | 'secret' | 'node'> {
  switch (bound?.kind) {
    case undefined:
      return {}
    case 'Pod':
      return { ...(bound.node ? { node: bound.node } : {}), pod: bound.pod }
    case 'Secret':
      return { secret: bound.secret }
    case 'Node':
      return { node: bound.node }
  }
}

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
