import { deepEqual, equal, match, notEqual, ok, throws } from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { before, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import { formatTimestamp } from '../../api/timestamps.ts'
import { openStoreUnderTest, podUnderTest } from '../authorization/testing/store-under-test.ts'
import type { StoreUnderTest } from '../authorization/testing/store-under-test.ts'
import { createTokenIssuer } from './service-account-tokens.ts'
import type { TokenIssuerParts, TokenOrder } from './service-account-tokens.ts'
import {
  createSigningKey,
  formatKeySet,
  formatOpenIdConfiguration,
  formatSigningKey,
  parseSigningKey,
  parseVerifyingKey,
  signText,
} from './token-key.ts'
import type { SigningKey } from './token-key.ts'
import { createTokenVerifier } from './token-verifier.ts'
import type { TokenResult, TokenVerifier } from './token-verifier.ts'

const ISSUER = 'https://kubernetes.default.svc.cluster.local'
const NOW = Date.UTC(2030, 0, 1)
const SECOND = 1000

const object = (
  kind: string,
  name: string,
  uid: string,
  more: { namespace?: string; deletionTimestamp?: string } = {},
): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name, uid, ...more } })
const ACCOUNT = object('ServiceAccount', 'a', 'account-uid', { namespace: 'ns' })
const POD = podUnderTest('p', 'n', { serviceAccountName: 'a' }, { namespace: 'ns', uid: 'pod-uid' })
const SECRET = object('Secret', 's', 'secret-uid', { namespace: 'ns' })
const NODE = object('Node', 'n', 'node-uid')

const ORDER: TokenOrder = {
  account: { namespace: 'ns', name: 'a', uid: 'account-uid' },
  audiences: [ISSUER],
  expirationSeconds: 3600,
  boundObject: { kind: 'Pod', pod: { name: 'p', uid: 'pod-uid' }, node: { name: 'n', uid: 'node-uid' } },
  nowMs: NOW,
  jti: 'token-id',
}
const { boundObject: _bound, ...UNBOUND } = ORDER

let key: SigningKey
before(async () => {
  key = await createSigningKey()
})

const issue = (order: Partial<TokenOrder> = {}, parts: Partial<TokenIssuerParts> = {}): string =>
  createTokenIssuer({ key, issuer: ISSUER, apiAudiences: [ISSUER], ...parts }).issueToken({ ...ORDER, ...order }).token

const open = async (...objects: KubeObject[]): Promise<{ store: StoreUnderTest; verifier: TokenVerifier }> => {
  const store = await openStoreUnderTest(...(objects.length > 0 ? objects : [ACCOUNT, POD, SECRET, NODE]))
  return {
    store,
    verifier: createTokenVerifier({ keys: [key], issuer: ISSUER, apiAudiences: [ISSUER], view: store.visible }),
  }
}
const whyOf = (result: TokenResult): string => (result.kind === 'refused' ? result.why : result.kind)
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

test('a token bound to a pod has these claims and no others', () => {
  deepEqual(claimsOf(issue()), {
    aud: [ISSUER],
    exp: NOW / SECOND + 3600,
    iat: NOW / SECOND,
    nbf: NOW / SECOND,
    iss: ISSUER,
    jti: 'token-id',
    sub: 'system:serviceaccount:ns:a',
    'kubernetes.io': {
      namespace: 'ns',
      serviceaccount: { name: 'a', uid: 'account-uid' },
      pod: { name: 'p', uid: 'pod-uid' },
      node: { name: 'n', uid: 'node-uid' },
    },
  })
})

test('a token bound to a secret or a node names that alone', () => {
  const own = (order: Partial<TokenOrder>): unknown => claimsOf(issue(order))['kubernetes.io']
  const common = { namespace: 'ns', serviceaccount: { name: 'a', uid: 'account-uid' } }
  deepEqual(own({ boundObject: { kind: 'Secret', secret: { name: 's', uid: 'secret-uid' } } }), {
    ...common,
    secret: { name: 's', uid: 'secret-uid' },
  })
  deepEqual(own({ boundObject: { kind: 'Node', node: { name: 'n', uid: 'node-uid' } } }), {
    ...common,
    node: { name: 'n', uid: 'node-uid' },
  })
})

const LIVES: [
  behaviour: string,
  order: Partial<TokenOrder>,
  parts: Partial<TokenIssuerParts>,
  seconds: number,
  warns: boolean,
][] = [
  [
    '3607 s for a pod and this server become a year with a warning',
    { expirationSeconds: 3607 },
    {},
    365 * 24 * 3600,
    true,
  ],
  ['not for another time', { expirationSeconds: 3608 }, {}, 3608, false],
  ['not for another audience', { expirationSeconds: 3607, audiences: ['vault'] }, {}, 3607, false],
  ['not for another audience beside it', { expirationSeconds: 3607, audiences: [ISSUER, 'vault'] }, {}, 3607, false],
  [
    'not for what is bound to something else',
    { expirationSeconds: 3607, boundObject: { kind: 'Secret', secret: { name: 's' } } },
    {},
    3607,
    false,
  ],
  ['not when it is switched off', { expirationSeconds: 3607 }, { extendExpiration: false }, 3607, false],
]
for (const [behaviour, order, parts, seconds, warns] of LIVES) {
  test(`the life of a token: ${behaviour}`, () => {
    const { claims, expiresAtMs } = createTokenIssuer({
      key,
      issuer: ISSUER,
      apiAudiences: [ISSUER],
      ...parts,
    }).issueToken({ ...ORDER, ...order })
    equal(claims.exp - claims.iat, seconds)
    equal(claims['kubernetes.io'].warnafter, warns ? claims.iat + 3607 : undefined)
    equal(expiresAtMs, NOW + (order.expirationSeconds ?? 0) * SECOND)
  })
}

test('a token says who its user is', async () => {
  const { verifier } = await open()
  deepEqual(verifier.verify(issue(), NOW), {
    kind: 'authenticated',
    audiences: [ISSUER],
    user: {
      name: 'system:serviceaccount:ns:a',
      uid: 'account-uid',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      extra: {
        'authentication.kubernetes.io/credential-id': ['JTI=token-id'],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['pod-uid'],
        'authentication.kubernetes.io/node-name': ['n'],
        'authentication.kubernetes.io/node-uid': ['node-uid'],
      },
    },
  })
})

test('an unbound token is good as long as its account is there', async () => {
  const { store, verifier } = await open(ACCOUNT)
  const { token } = createTokenIssuer({ key, issuer: ISSUER, apiAudiences: [ISSUER] }).issueToken(UNBOUND)
  equal(verifier.verify(token, NOW).kind, 'authenticated')
  await store.remove(ACCOUNT)
  match(whyOf(verifier.verify(token, NOW)), /serviceaccounts "a" not found/)
})

const TIMES: [behaviour: string, afterSeconds: number, result: RegExp][] = [
  ['now', 0, /^authenticated$/],
  ['a little before it was made, by another clock', -59, /^authenticated$/],
  ['before that', -61, /not valid yet/],
  ['at its end', 3600, /^authenticated$/],
  ['within the leeway', 3660, /^authenticated$/],
  ['after it', 3661, /has expired/],
]
for (const [behaviour, after, result] of TIMES) {
  test(`a token ${behaviour}`, async () =>
    match(whyOf((await open()).verifier.verify(issue(), NOW + after * SECOND)), result))
}

test('a token is good for the audiences that it and the asker have in common', async () => {
  const { verifier } = await open()
  const token = issue({ audiences: ['vault', ISSUER] })
  deepEqual((verifier.verify(token, NOW, ['x', 'vault']) as { audiences?: unknown }).audiences, ['vault'])
  match(
    whyOf(verifier.verify(issue({ audiences: ['vault'] }), NOW)),
    /^token audiences \["vault"\] is invalid for the target audiences \["https:.*"\]$/,
  )
  match(whyOf(verifier.verify(token, NOW, ['other'])), /is invalid for the target audiences/)
})

const change = (token: string, part: 0 | 1 | 2, edit: (text: string) => string): string =>
  token
    .split('.')
    .map((text, index) => (index === part ? edit(text) : text))
    .join('.')
const editJson =
  (edit: (value: Record<string, unknown>) => object) =>
  (text: string): string =>
    Buffer.from(
      JSON.stringify(edit(JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>)),
    ).toString('base64url')

const TAMPERED: [behaviour: string, tamper: (token: string) => string, result: RegExp][] = [
  [
    'whose claims were changed',
    (token) =>
      change(
        token,
        1,
        editJson((claims) => ({ ...claims, sub: 'system:serviceaccount:kube-system:root' })),
      ),
    /invalid signature/,
  ],
  [
    'whose signature was changed',
    (token) => change(token, 2, (text) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)),
    /invalid signature/,
  ],
  [
    'whose signature was written in another way',
    (token) => change(token, 2, (text) => `${text}=`),
    /invalid signature/,
  ],
  [
    'that says it needs no signature',
    (token) =>
      change(
        token,
        0,
        editJson((head) => ({ ...head, alg: 'none' })),
      ),
    /no keys found/,
  ],
  [
    'that says it is signed with a shared secret',
    (token) =>
      change(
        token,
        0,
        editJson((head) => ({ ...head, alg: 'HS256' })),
      ),
    /no keys found/,
  ],
  [
    'of a key that is not known',
    (token) =>
      change(
        token,
        0,
        editJson((head) => ({ ...head, kid: 'other' })),
      ),
    /no keys found/,
  ],
  [
    'of another issuer',
    (token) =>
      change(
        token,
        1,
        editJson((claims) => ({ ...claims, iss: 'https://elsewhere' })),
      ),
    /^unknown$/,
  ],
  ['without a signature', (token) => token.split('.').slice(0, 2).join('.'), /^unknown$/],
  ['with a part too many', (token) => `${token}.x`, /^unknown$/],
  ['that is no token', () => 'hello', /^unknown$/],
  ['that is no token in three parts', () => 'a.b.c', /^unknown$/],
]
for (const [behaviour, tamper, result] of TAMPERED) {
  test(`a token is refused ${behaviour}`, async () => {
    const { verifier } = await open()
    const good = issue()
    equal(verifier.verify(good, NOW).kind, 'authenticated')
    match(whyOf(verifier.verify(tamper(good), NOW)), result)
  })
}

test('a token of another key with the same issuer is refused', async () => {
  const { verifier } = await open()
  match(whyOf(verifier.verify(issue({}, { key: await createSigningKey() }), NOW)), /no keys found/)
})

test('a signed text that is no token of an account is refused', async () => {
  const { verifier } = await open()
  for (const claims of [
    {},
    { aud: [ISSUER], exp: 9e9, iat: 0, nbf: 0 },
    {
      aud: [ISSUER],
      exp: 9e9,
      iat: 0,
      nbf: 0,
      'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'a' }, pod: 'p' },
    },
  ]) {
    const issuer = createTokenIssuer({ key, issuer: ISSUER, apiAudiences: [] })
    const head = issuer.issueToken(ORDER).token.split('.')[0] ?? ''
    const signed = `${head}.${Buffer.from(JSON.stringify({ iss: ISSUER, ...claims })).toString('base64url')}`
    match(whyOf(verifier.verify(`${signed}.${signText(key, signed).toString('base64url')}`, NOW)), /lacks claims/)
  }
})

const DEATHS: [
  behaviour: string,
  order: Partial<TokenOrder>,
  happen: (store: StoreUnderTest) => Promise<void>,
  result: RegExp,
][] = [
  ['its pod is gone', {}, (store) => store.remove(POD), /has been invalidated/],
  [
    'its pod was made again',
    {},
    (store) => store.put({ ...POD, metadata: { ...POD.metadata, uid: 'new' } }),
    /^pod UID \(new\) does not match service account pod ref claim \(pod-uid\)$/,
  ],
  [
    'its pod has been going for long',
    {},
    (store) =>
      store.put({ ...POD, metadata: { ...POD.metadata, deletionTimestamp: formatTimestamp(NOW - 61 * SECOND) } }),
    /has been invalidated/,
  ],
  [
    'not: its pod is going',
    {},
    (store) =>
      store.put({ ...POD, metadata: { ...POD.metadata, deletionTimestamp: formatTimestamp(NOW - 59 * SECOND) } }),
    /^authenticated$/,
  ],
  ['not: the node of its pod is gone', {}, (store) => store.remove(NODE), /^authenticated$/],
  ['its account is gone', {}, (store) => store.remove(ACCOUNT), /serviceaccounts "a" not found/],
  [
    'its account was made again',
    {},
    (store) => store.put(object('ServiceAccount', 'a', 'new', { namespace: 'ns' })),
    /^service account UID \(new\) does not match claim \(account-uid\)$/,
  ],
  [
    'its account has been going for long',
    {},
    (store) =>
      store.put(
        object('ServiceAccount', 'a', 'account-uid', {
          namespace: 'ns',
          deletionTimestamp: formatTimestamp(NOW - 61 * SECOND),
        }),
      ),
    /service account ns\/a has been deleted/,
  ],
  [
    'its secret is gone',
    { boundObject: { kind: 'Secret', secret: { name: 's', uid: 'secret-uid' } } },
    (store) => store.remove(SECRET),
    /has been invalidated/,
  ],
  [
    'its secret was made again',
    { boundObject: { kind: 'Secret', secret: { name: 's', uid: 'secret-uid' } } },
    (store) => store.put(object('Secret', 's', 'new', { namespace: 'ns' })),
    /secret UID \(new\)/,
  ],
  [
    'its node is gone',
    { boundObject: { kind: 'Node', node: { name: 'n', uid: 'node-uid' } } },
    (store) => store.remove(NODE),
    /has been invalidated/,
  ],
  [
    'its node was made again',
    { boundObject: { kind: 'Node', node: { name: 'n', uid: 'node-uid' } } },
    (store) => store.put(object('Node', 'n', 'new')),
    /node UID \(new\)/,
  ],
]
for (const [behaviour, order, happen, result] of DEATHS) {
  test(`a token that was good a moment ago dies when ${behaviour}`, async () => {
    const { store, verifier } = await open()
    const token = issue(order)
    equal(verifier.verify(token, NOW).kind, 'authenticated')
    await happen(store)
    match(whyOf(verifier.verify(token, NOW)), result)
  })
}

test('the signature of a token is checked once, its end each time', async () => {
  const store = await openStoreUnderTest(ACCOUNT, POD)
  // With a key that can be removed, a test sees when the signature is verified.
  const keys = [key]
  const verifier = createTokenVerifier({
    keys,
    issuer: ISSUER,
    apiAudiences: [ISSUER],
    view: store.visible,
    cacheSize: 2,
  })
  const token = issue()
  equal(verifier.verify(token, NOW).kind, 'authenticated')
  keys.pop()
  equal(verifier.verify(token, NOW).kind, 'authenticated')
  match(whyOf(verifier.verify(token, NOW + 4000 * SECOND)), /expired/)
  match(whyOf(verifier.verify(issue({ jti: 'other' }), NOW)), /no keys found/)
})

test('of many tokens those used last are remembered', async () => {
  const store = await openStoreUnderTest(ACCOUNT, POD)
  const keys = [key]
  const verifier = createTokenVerifier({
    keys,
    issuer: ISSUER,
    apiAudiences: [ISSUER],
    view: store.visible,
    cacheSize: 2,
  })
  const [one = '', two = '', three = ''] = ['1', '2', '3'].map((jti) => issue({ jti }))
  for (const token of [one, two, one, three]) verifier.verify(token, NOW)
  keys.pop()
  equal(verifier.verify(one, NOW).kind, 'authenticated')
  equal(verifier.verify(three, NOW).kind, 'authenticated')
  match(whyOf(verifier.verify(two, NOW)), /no keys found/)
})

test('an RSA key signs and verifies as well, and old keys go on verifying', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const rsa = parseSigningKey(privateKey)
  equal(rsa.algorithm, 'RS256')
  const store = await openStoreUnderTest(ACCOUNT, POD)
  const verifier = createTokenVerifier({
    keys: [rsa, parseVerifyingKey(formatSigningKey(key))],
    issuer: ISSUER,
    apiAudiences: [ISSUER],
    view: store.visible,
  })
  equal(verifier.verify(issue({}, { key: rsa }), NOW).kind, 'authenticated')
  equal(verifier.verify(issue(), NOW).kind, 'authenticated')
})

test('a key that was saved is the same key', () => {
  const again = parseSigningKey(formatSigningKey(key))
  equal(again.keyId, key.keyId)
  equal(again.algorithm, 'ES256')
  throws(
    () =>
      parseSigningKey(
        generateKeyPairSync('ed25519', {
          privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
          publicKeyEncoding: { type: 'spki', format: 'pem' },
        }).privateKey,
      ),
    /not with a key of type ed25519/,
  )
})

test('somebody who has only the published keys can check a token', () => {
  const token = issue()
  const [head = '', body = '', signature = ''] = token.split('.')
  const { kid, alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string; alg: string }
  const [published] = formatKeySet([key]).keys
  ok(published)
  deepEqual([published.kid, published.alg, published.use, published.kty], [kid, alg, 'sig', 'EC'])
  equal(published.d, undefined, 'the private part stays here')
  const publicKey = createPublicKey({ key: published, format: 'jwk' })
  ok(
    verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
  )
  notEqual(issue(), token, 'an elliptic signature differs each time')
})

test('the issuer document tells where the keys are', () => {
  deepEqual(formatOpenIdConfiguration(ISSUER, 'https://127.0.0.1:6443/openid/v1/jwks', [key]), {
    issuer: ISSUER,
    jwks_uri: 'https://127.0.0.1:6443/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  })
})
