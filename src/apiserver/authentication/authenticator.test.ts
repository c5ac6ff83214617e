import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { Authorizer } from '../core/request.ts'
import { createAuthenticator } from './authenticator.ts'
import type { AuthenticatorParts, Credentials } from './authenticator.ts'
import { createTokenReview, reviewSelf } from './identity-reviews.ts'
import { parseImpersonation } from './impersonation.ts'
import type { HeaderValues } from './impersonation.ts'
import { parseStaticTokens } from './static-tokens.ts'
import type { TokenVerifier } from './token-verifier.ts'

const API = ['https://api']
// Knows one valid and one expired token.
const accounts: TokenVerifier = {
  verify(token, _nowMs, audiences = API) {
    if (token === 'expired') return { kind: 'refused', why: 'service account token has expired' }
    if (token !== 'robot') return { kind: 'unknown' }
    return {
      kind: 'authenticated',
      user: { name: 'system:serviceaccount:ns:robot', groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'] },
      audiences,
    }
  },
}
/** Allows root to impersonate anybody, and helper to impersonate alice and the accounts of one namespace. */
const authorizer: Authorizer = {
  authorize: (asked) => {
    if (!asked.isResource || asked.verb !== 'impersonate') return { kind: 'no-opinion' }
    const { user, resource, name, namespace, group } = asked
    const isFine =
      user.name === 'root' ||
      (user.name === 'helper' &&
        group === '' &&
        ((resource === 'users' && name === 'alice') || (resource === 'serviceaccounts' && namespace === 'ns')))
    return isFine ? { kind: 'allow', reason: '' } : { kind: 'no-opinion' }
  },
}
const open = (parts: Partial<AuthenticatorParts> = {}): ReturnType<typeof createAuthenticator> =>
  createAuthenticator({
    clock: createSimulatedClock(),
    authorizer,
    apiAudiences: API,
    serviceAccountTokens: accounts,
    staticTokens: parseStaticTokens(
      't-root,root,1,"system:masters"\nt-helper,helper,2\nt-special,special,3,"system:unauthenticated"',
    ),
    ...parts,
  })
const authenticate = (credentials: Credentials, parts: Partial<AuthenticatorParts> = {}): unknown => {
  const { user, error } = open(parts).authenticate(credentials)
  return error ? `${error.code} ${error.message}` : `${user.name} [${user.groups.join(' ')}]`
}

const CASES: [behaviour: string, credentials: Credentials, result: string][] = [
  [
    'a certificate gives user and groups',
    { clientCertificate: { commonName: 'system:node:n1', organizations: ['system:nodes'] } },
    'system:node:n1 [system:nodes system:authenticated]',
  ],
  [
    'a certificate goes before a token',
    { clientCertificate: { commonName: 'u', organizations: [] }, bearerToken: 'wrong' },
    'u [system:authenticated]',
  ],
  [
    'a certificate without a name says nothing',
    { clientCertificate: { commonName: '', organizations: ['system:masters'] } },
    'system:anonymous [system:unauthenticated]',
  ],
  ['a token from the file', { bearerToken: 't-root' }, 'root [system:masters system:authenticated]'],
  [
    'a token of an account',
    { bearerToken: 'robot' },
    'system:serviceaccount:ns:robot [system:serviceaccounts system:serviceaccounts:ns system:authenticated]',
  ],
  ['a token that nobody knows is not anonymous', { bearerToken: 'wrong' }, '401 Unauthorized'],
  ['an expired token says no more than that', { bearerToken: 'expired' }, '401 Unauthorized'],
  ['no credentials are anonymous', {}, 'system:anonymous [system:unauthenticated]'],
  ['a token that is empty is none', { bearerToken: '' }, 'system:anonymous [system:unauthenticated]'],
  ['groups that say it already are left alone', { bearerToken: 't-special' }, 'special [system:unauthenticated]'],
]
for (const [behaviour, credentials, result] of CASES) test(behaviour, () => equal(authenticate(credentials), result))

test('a server can refuse whoever shows nothing', () => {
  equal(authenticate({}, { anonymous: false }), '401 Unauthorized')
})

test('the reason of a refusal is kept for the log', () => {
  const { error } = open().authenticate({ bearerToken: 'expired' })
  equal(error?.cause instanceof Error && error.cause.message, 'service account token has expired')
})

test('a certificate leaves its mark on the user', () => {
  const { user } = open().authenticate({ clientCertificate: { commonName: 'u', organizations: [], sha256: 'ab12' } })
  deepEqual(user?.extra, { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab12'] })
})

const as = (token: string, headers: HeaderValues): unknown => {
  const impersonation = parseImpersonation(headers)
  return authenticate({ bearerToken: token, ...(impersonation ? { impersonation } : {}) })
}
const user = (name: string): HeaderValues => ({ 'impersonate-user': [name] })

const IMPERSONATIONS: [behaviour: string, token: string, headers: HeaderValues, result: string][] = [
  ['another user', 't-root', user('alice'), 'alice [system:authenticated]'],
  [
    'another user with groups',
    't-root',
    { ...user('alice'), 'impersonate-group': ['dev', 'ops'] },
    'alice [dev ops system:authenticated]',
  ],
  [
    'somebody unauthenticated',
    't-root',
    { ...user('alice'), 'impersonate-group': ['system:unauthenticated'] },
    'alice [system:unauthenticated]',
  ],
  ['nobody', 't-root', user('system:anonymous'), 'system:anonymous [system:unauthenticated]'],
  [
    'an account, with its own groups',
    't-helper',
    user('system:serviceaccount:ns:robot'),
    'system:serviceaccount:ns:robot [system:serviceaccounts system:serviceaccounts:ns system:authenticated]',
  ],
  [
    'not an account elsewhere',
    't-helper',
    user('system:serviceaccount:other:robot'),
    '403 serviceaccounts "robot" is forbidden: User "helper" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "other"',
  ],
  ['a user by leave', 't-helper', user('alice'), 'alice [system:authenticated]'],
  [
    'not another',
    't-helper',
    user('bob'),
    '403 users "bob" is forbidden: User "helper" cannot impersonate resource "users" in API group "" at the cluster scope',
  ],
  [
    'not a group beside',
    't-helper',
    { ...user('alice'), 'impersonate-group': ['system:masters'] },
    '403 groups "system:masters" is forbidden: User "helper" cannot impersonate resource "groups" in API group "" at the cluster scope',
  ],
  [
    'not more about the user',
    't-helper',
    { ...user('alice'), 'impersonate-extra-scopes': ['all'] },
    '403 userextras.authentication.k8s.io "all" is forbidden: User "helper" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
  ],
  [
    'not a uid',
    't-helper',
    { ...user('alice'), 'impersonate-uid': ['7'] },
    '403 uids.authentication.k8s.io "7" is forbidden: User "helper" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
  ],
  ['not before showing who one is', 'wrong', user('alice'), '401 Unauthorized'],
]
for (const [behaviour, token, headers, result] of IMPERSONATIONS)
  test(`one can be ${behaviour}`, () => equal(as(token, headers), result))

test('who impersonates whom is known', () => {
  const impersonation = parseImpersonation({
    ...user('alice'),
    'impersonate-uid': ['7'],
    'impersonate-extra-example.com%2fscope': ['a', 'b'],
  })
  const { user: other, impersonator } = open().authenticate({
    bearerToken: 't-root',
    ...(impersonation && { impersonation }),
  })
  deepEqual(other, {
    name: 'alice',
    uid: '7',
    groups: ['system:authenticated'],
    extra: { 'example.com/scope': ['a', 'b'] },
  })
  equal(impersonator?.name, 'root')
})

test('headers that name no user ask for nothing, or are refused', () => {
  equal(parseImpersonation({ accept: ['*/*'] }), undefined)
  for (const headers of [
    { 'impersonate-group': ['g'] },
    { 'impersonate-uid': ['7'] },
    { 'impersonate-extra-k': ['v'] },
  ]) {
    throws(
      () => parseImpersonation(headers),
      (error) => isApiError(error, 'BadRequest') && /without impersonating a user/.test(error.message),
    )
  }
})

const review = (token: string, audiences?: string[]): unknown =>
  createTokenReview(open())({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token, ...(audiences ? { audiences } : {}) },
  }).status

test('a review of a token tells whose it is and for whom it is good', () => {
  deepEqual(review('t-root'), {
    authenticated: true,
    user: { username: 'root', uid: '1', groups: ['system:masters', 'system:authenticated'] },
    audiences: API,
  })
  deepEqual((review('robot', ['vault']) as { audiences: unknown }).audiences, ['vault'])
})

test('a review of a bad token is an answer', () => {
  deepEqual(review('wrong'), { authenticated: false, user: {}, error: 'invalid bearer token' })
  deepEqual(review('expired'), { authenticated: false, user: {}, error: 'service account token has expired' })
  deepEqual(
    review('t-root', ['vault']),
    { authenticated: false, user: {}, error: 'invalid bearer token' },
    'tokens from the file are for this server',
  )
})

test('a review without a token is refused', () => {
  throws(
    () => review(''),
    (error) => isApiError(error, 'BadRequest'),
  )
})

test('one can ask who one is', () => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} } as const
  deepEqual(reviewSelf(body, { name: 'u', groups: ['g'], extra: { k: ['v'] } }).status, {
    userInfo: { username: 'u', groups: ['g'], extra: { k: ['v'] } },
  })
})
