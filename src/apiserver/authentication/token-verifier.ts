import { createHash } from 'node:crypto'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import type { KubeObject } from '../../api/object.ts'
import { quoteGo } from '../../api/quote-go.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { findObject } from '../authorization/typed-view.ts'
import type { StateView } from '../core/stored-object.ts'
import type { User } from '../core/user.ts'
import { serviceAccountGroups, serviceAccountUser } from './service-account-user.ts'
import type { NamedRef, TokenClaims } from './service-account-tokens.ts'
import { verifyText } from './token-key.ts'
import type { VerifyingKey } from './token-key.ts'

/** The result for a token: `unknown` means that it is not ours, and may be valid elsewhere. */
export type TokenResult =
  | { readonly kind: 'authenticated'; readonly user: User; readonly audiences: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown' }

export interface TokenVerifier {
  /** Default: the server's own audiences. */
  verify(token: string, nowMs: number, audiences?: readonly string[]): TokenResult
}

export type TokenVerifierParts = {
  readonly keys: readonly VerifyingKey[]
  readonly issuer: string
  readonly apiAudiences: readonly string[]
  /** Read each time: a token is invalid once its account, or the object it is bound to, is gone. */
  readonly view: StateView
  /** Number of tokens whose signature need not be verified again. Default 4096. */
  readonly cacheSize?: number
}

const LEEWAY_SECONDS = 60
const EXTRA = 'authentication.kubernetes.io/'

/** Verifies tokens of service accounts. Only the result for the signature is cached, by the hash of the token. */
export function createTokenVerifier({
  keys,
  issuer,
  apiAudiences,
  view,
  cacheSize = 4096,
}: TokenVerifierParts): TokenVerifier {
  const signed = new Map<string, TokenClaims>()

  // The claims if the signature is valid; the reason if it is not; undefined if the token is not ours.
  const readClaims = (token: string): TokenClaims | string | undefined => {
    const hash = createHash('sha256').update(token).digest('base64')
    const known = signed.get(hash)
    if (known) {
      // Moves it to the end: the oldest is dropped first.
      signed.delete(hash)
      signed.set(hash, known)
      return known
    }
    const read = readToken(token, issuer, keys)
    if (read === undefined || typeof read === 'string') return read
    signed.set(hash, read)
    if (signed.size > cacheSize) for (const oldest of signed.keys().take(1)) signed.delete(oldest)
    return read
  }

  return {
    verify(token, nowMs, wanted = apiAudiences) {
      const claims = readClaims(token)
      if (claims === undefined) return { kind: 'unknown' }
      if (typeof claims === 'string') return { kind: 'refused', why: claims }
      const audiences = claims.aud.filter((audience) => wanted.includes(audience))
      if (audiences.length === 0) {
        return {
          kind: 'refused',
          why: `token audiences ${formatList(claims.aud)} is invalid for the target audiences ${formatList(wanted)}`,
        }
      }
      const why = findTimeProblem(claims, nowMs) ?? findObjectProblem(claims, view, nowMs)
      return why === undefined ? { kind: 'authenticated', user: userOf(claims), audiences } : { kind: 'refused', why }
    },
  }
}

function readToken(token: string, issuer: string, keys: readonly VerifyingKey[]): TokenClaims | string | undefined {
  const [head = '', body = '', signature = '', ...rest] = token.split('.')
  if (signature === '' || rest.length > 0) return undefined
  const claims = decodeJson(body)
  if (claims?.['iss'] !== issuer) return undefined
  const { alg, kid } = decodeJson(head) ?? {}
  // The key determines the algorithm; a header with another one is an attempt to bypass the check.
  const fitting = keys.filter(({ keyId, algorithm }) => algorithm === alg && (kid === undefined || keyId === kid))
  if (fitting.length === 0) return 'invalid signature, no keys found'
  const bytes = Buffer.from(signature, 'base64url')
  // Accepts one spelling only: decoding is lenient, and another spelling would be another token for the cache.
  if (bytes.toString('base64url') !== signature) return 'invalid signature'
  if (!fitting.some((key) => verifyText(key, `${head}.${body}`, bytes))) return 'invalid signature'
  return isTokenClaims(claims) ? claims : 'the token lacks claims of a service account'
}

function decodeJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

// Even a signed token must have the expected shape: the key may have signed others.
function isTokenClaims(claims: Record<string, unknown>): claims is Record<string, unknown> & TokenClaims {
  const own = claims['kubernetes.io']
  if (typeof own !== 'object' || own === null) return false
  const { namespace, serviceaccount, ...bound } = own as Record<string, unknown>
  return (
    Array.isArray(claims['aud']) &&
    ['exp', 'iat', 'nbf'].every((name) => typeof claims[name] === 'number') &&
    typeof namespace === 'string' &&
    isNamedRef(serviceaccount) &&
    ['pod', 'secret', 'node'].every((name) => bound[name] === undefined || isNamedRef(bound[name]))
  )
}

const isNamedRef = (value: unknown): value is NamedRef =>
  typeof value === 'object' && value !== null && typeof (value as Partial<NamedRef>).name === 'string'

function findTimeProblem({ exp, nbf, iat }: TokenClaims, nowMs: number): string | undefined {
  const now = nowMs / 1000
  if (now - LEEWAY_SECONDS > exp) return 'service account token has expired'
  if (now + LEEWAY_SECONDS < nbf) return 'service account token is not valid yet'
  if (now + LEEWAY_SECONDS < iat) return 'service account token is issued in the future'
  return undefined
}

const INVALIDATED = 'service account token has been invalidated'

function findObjectProblem({ 'kubernetes.io': own }: TokenClaims, view: StateView, nowMs: number): string | undefined {
  const { namespace, serviceaccount, pod, secret, node } = own
  const account = findObject(view, SERVICE_ACCOUNTS, { namespace, name: serviceaccount.name })
  if (!account) return `serviceaccounts ${quoteGo(serviceaccount.name)} not found`
  const { uid } = account.metadata
  if (uid !== serviceaccount.uid) return `service account UID (${uid}) does not match claim (${serviceaccount.uid})`
  if (isLongDeleted(account, nowMs)) return `service account ${namespace}/${serviceaccount.name} has been deleted`

  const findBoundProblem = (kind: string, type: ResourceType, ref: NamedRef): string | undefined => {
    const bound = findObject(view, type, { namespace, name: ref.name })
    if (!bound) return INVALIDATED
    const { uid: found } = bound.metadata
    if (found !== ref.uid) return `${kind} UID (${found}) does not match service account ${kind} ref claim (${ref.uid})`
    return isLongDeleted(bound, nowMs) ? INVALIDATED : undefined
  }
  if (secret) return findBoundProblem('secret', SECRETS, secret)
  if (pod) return findBoundProblem('pod', PODS, pod)
  return node && findBoundProblem('node', NODES, node)
}

// An object that is being deleted may still be working, so it keeps its permissions for a short time.
function isLongDeleted({ metadata }: KubeObject, nowMs: number): boolean {
  const deletedMs = findTimestamp(metadata.deletionTimestamp)
  return deletedMs !== undefined && deletedMs < nowMs - LEEWAY_SECONDS * 1000
}

function userOf({ jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: TokenClaims): User {
  const extra: Record<string, string[]> = {}
  const add = (key: string, value: string | undefined): void => {
    if (value) extra[`${EXTRA}${key}`] = [value]
  }
  add('credential-id', jti ? `JTI=${jti}` : undefined)
  add('pod-name', pod?.name)
  add('pod-uid', pod?.uid)
  add('node-name', node?.name)
  add('node-uid', node?.uid)
  return {
    name: serviceAccountUser({ namespace, name: serviceaccount.name }),
    ...(serviceaccount.uid === undefined ? {} : { uid: serviceaccount.uid }),
    groups: serviceAccountGroups(namespace),
    extra,
  }
}

const formatList = (values: readonly string[]): string => `[${values.map(quoteGo).join(' ')}]`
