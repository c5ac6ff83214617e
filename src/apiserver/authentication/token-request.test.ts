import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { before, test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import type { StatusReason } from '../../api/api-error.ts'
import type { TokenRequest, TokenRequestSpec } from '../../api/kinds/authentication.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { openStoreUnderTest, podUnderTest } from '../authorization/testing/store-under-test.ts'
import { createTokenIssuer } from './service-account-tokens.ts'
import { createSigningKey } from './token-key.ts'
import type { SigningKey } from './token-key.ts'
import { createTokenRequest } from './token-request.ts'
import { createTokenVerifier } from './token-verifier.ts'

const ISSUER = 'https://issuer'
const object = (kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: `uid-${name}`, ...(namespace ? { namespace } : {}) },
})
const WORLD = [
  object('ServiceAccount', 'a', 'ns'),
  object('Secret', 's', 'ns'),
  object('Node', 'n'),
  podUnderTest('p', 'n', { serviceAccountName: 'a' }, { namespace: 'ns' }),
  podUnderTest('lonely', 'gone', { serviceAccountName: 'a' }, { namespace: 'ns' }),
  podUnderTest('waiting', '', { serviceAccountName: 'a' }, { namespace: 'ns' }),
  podUnderTest('foreign', 'n', { serviceAccountName: 'b' }, { namespace: 'ns' }),
]
let key: SigningKey
before(async () => {
  key = await createSigningKey()
})

type Answer = { request: TokenRequest; claims: Record<string, unknown>; nowMs: number }

async function ask(
  spec: Partial<TokenRequestSpec>,
  { name = 'a', metadata = {} }: { name?: string; metadata?: ObjectMeta } = {},
): Promise<Answer> {
  const store = await openStoreUnderTest(...WORLD)
  const clock = createSimulatedClock()
  const issuer = createTokenIssuer({ key, issuer: ISSUER, apiAudiences: [ISSUER] })
  const handle = createTokenRequest({ view: store.visible, issuer, clock, random: createSeededRandom(1) })
  const request = handle('ns', name, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec: { audiences: [], ...spec },
  })
  const token = request.status?.token ?? ''
  const verifier = createTokenVerifier({ keys: [key], issuer: ISSUER, apiAudiences: [ISSUER], view: store.visible })
  equal(
    verifier.verify(token, clock.nowMs(), request.spec.audiences ?? []).kind,
    'authenticated',
    'what is given out is good',
  )
  return {
    request,
    claims: JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>,
    nowMs: clock.nowMs(),
  }
}
const bound = (
  kind: string,
  name: string,
  uid?: string,
): { boundObjectRef: NonNullable<TokenRequestSpec['boundObjectRef']> } => ({
  boundObjectRef: { apiVersion: 'v1', kind: kind as 'Pod', name, ...(uid ? { uid } : {}) },
})

test('a request without details gets an hour, for this server', async () => {
  const { request, claims, nowMs } = await ask({})
  deepEqual(request.metadata, { name: 'a', namespace: 'ns', uid: 'uid-a', creationTimestamp: '2030-01-01T00:00:00Z' })
  deepEqual(request.spec, { audiences: [ISSUER], expirationSeconds: 3600 })
  equal(request.status?.expirationTimestamp, '2030-01-01T01:00:00Z')
  equal(claims['exp'], nowMs / 1000 + 3600)
  match(String(claims['jti']), /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
})

test('audiences and time are as asked', async () => {
  const { request, claims } = await ask({ audiences: ['vault', 'other'], expirationSeconds: 600 })
  deepEqual(claims['aud'], ['vault', 'other'])
  equal(request.status?.expirationTimestamp, '2030-01-01T00:10:00Z')
})

test('the answer to a request that is extended tells when to renew', async () => {
  const { request, claims, nowMs } = await ask({ expirationSeconds: 3607, ...bound('Pod', 'p', 'uid-p') })
  equal(request.status?.expirationTimestamp, '2030-01-01T01:00:07Z')
  equal(claims['exp'], nowMs / 1000 + 365 * 24 * 3600)
  equal((claims['kubernetes.io'] as { warnafter?: number }).warnafter, nowMs / 1000 + 3607)
})

const BOUND: [behaviour: string, spec: Partial<TokenRequestSpec>, claims: object][] = [
  [
    'a pod, with its node',
    bound('Pod', 'p', 'uid-p'),
    { pod: { name: 'p', uid: 'uid-p' }, node: { name: 'n', uid: 'uid-n' } },
  ],
  ['a pod by name alone', bound('Pod', 'p'), { pod: { name: 'p', uid: 'uid-p' }, node: { name: 'n', uid: 'uid-n' } }],
  [
    'a pod whose node is gone, with the name of that',
    bound('Pod', 'lonely'),
    { pod: { name: 'lonely', uid: 'uid-lonely' }, node: { name: 'gone' } },
  ],
  ['a pod without a node', bound('Pod', 'waiting'), { pod: { name: 'waiting', uid: 'uid-waiting' } }],
  ['a secret', bound('Secret', 's', 'uid-s'), { secret: { name: 's', uid: 'uid-s' } }],
  ['a node', bound('Node', 'n', 'uid-n'), { node: { name: 'n', uid: 'uid-n' } }],
]
for (const [behaviour, spec, expected] of BOUND) {
  test(`a token can be bound to ${behaviour}`, async () => {
    const { claims } = await ask(spec)
    deepEqual(claims['kubernetes.io'], { namespace: 'ns', serviceaccount: { name: 'a', uid: 'uid-a' }, ...expected })
  })
}

const REFUSED: [behaviour: string, ask: () => Promise<unknown>, reason: StatusReason, message: RegExp][] = [
  ['of an account that is not there', () => ask({}, { name: 'x' }), 'NotFound', /^serviceaccounts "x" not found$/],
  [
    'of another name than the path',
    () => ask({}, { metadata: { name: 'b' } }),
    'Invalid',
    /^TokenRequest\.authentication\.k8s\.io "a" is invalid: metadata\.name: Invalid value: "b": must match the service account name if specified$/,
  ],
  [
    'of another namespace than the path',
    () => ask({}, { metadata: { namespace: 'x' } }),
    'Invalid',
    /metadata\.namespace: Invalid value: "x": must match the service account namespace/,
  ],
  [
    'of a former account',
    () => ask({}, { metadata: { uid: 'old' } }),
    'Conflict',
    /the UID in the token request \(old\) does not match the UID of the service account \(uid-a\)/,
  ],
  [
    'shorter than ten minutes',
    () => ask({ expirationSeconds: 599 }),
    'Invalid',
    /spec\.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes/,
  ],
  [
    'longer than 2^32 seconds',
    () => ask({ expirationSeconds: 2 ** 32 + 1 }),
    'Invalid',
    /may not specify a duration larger than 2\^32 seconds/,
  ],
  ['bound to a pod that is not there', () => ask(bound('Pod', 'x')), 'NotFound', /^pods "x" not found$/],
  [
    'bound to a former pod',
    () => ask(bound('Pod', 'p', 'old')),
    'Conflict',
    /^Operation cannot be fulfilled on Pod "p": the UID in the bound object reference \(old\) does not match the UID in record/,
  ],
  ['bound to a former secret', () => ask(bound('Secret', 's', 'old')), 'Conflict', /on Secret "s"/],
  [
    'bound to a pod of another account',
    () => ask(bound('Pod', 'foreign')),
    'BadRequest',
    /^cannot bind token for serviceaccount "a" to pod running with different serviceaccount name\.$/,
  ],
  [
    'bound to something else',
    () => ask(bound('ConfigMap', 'c')),
    'BadRequest',
    /^cannot bind token to object of type \/v1, Kind=ConfigMap$/,
  ],
  [
    'bound to a pod of another group',
    () => ask({ boundObjectRef: { apiVersion: 'example.com/v1', kind: 'Pod', name: 'p' } }),
    'BadRequest',
    /of type example\.com\/v1, Kind=Pod$/,
  ],
]
for (const [behaviour, request, reason, message] of REFUSED) {
  test(`no token ${behaviour}`, async () => {
    const error: unknown = await request().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    throws(
      () => {
        throw error
      },
      (thrown) => isApiError(thrown, reason) && message.test(thrown.message),
    )
  })
}
