import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Authorizer } from '../core/request.ts'
import { ALLOW_PRIVILEGED, ALWAYS_ALLOW, createAuthorizerChain } from './authorizer-chain.ts'
import { reasonOf } from './decision.ts'
import { requestUnderTest } from './testing/store-under-test.ts'

const says = (
  decision: { kind: 'allow' | 'deny'; reason: string } | { kind: 'no-opinion'; reason?: string },
): Authorizer => ({ authorize: () => decision })
const request = requestUnderTest({ name: 'u', groups: [] }, 'get pods apps/p')

test('the first that allows or denies decides', () => {
  const allow = says({ kind: 'allow', reason: 'a' })
  const deny = says({ kind: 'deny', reason: 'd' })
  const none = says({ kind: 'no-opinion' })
  equal(createAuthorizerChain([none, allow, deny]).authorize(request).kind, 'allow')
  equal(createAuthorizerChain([none, deny, allow]).authorize(request).kind, 'deny')
  equal(createAuthorizerChain([none, none]).authorize(request).kind, 'no-opinion')
  equal(createAuthorizerChain([]).authorize(request).kind, 'no-opinion')
})

test('remarks of those without an opinion are kept for the refusal', () => {
  const chain = createAuthorizerChain([
    says({ kind: 'no-opinion', reason: 'one' }),
    says({ kind: 'no-opinion' }),
    says({ kind: 'no-opinion', reason: 'two' }),
  ])
  equal(reasonOf(chain.authorize(request)), 'one\ntwo')
})

test('the privileged group may do everything, others get no opinion', () => {
  equal(ALLOW_PRIVILEGED.authorize({ ...request, user: { name: 'root', groups: ['system:masters'] } }).kind, 'allow')
  equal(ALLOW_PRIVILEGED.authorize(request).kind, 'no-opinion')
})

test('the rules of a chain are those of its parts', () => {
  const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const chain = createAuthorizerChain([
    ALLOW_PRIVILEGED,
    { ...says({ kind: 'no-opinion' }), rulesFor: () => ({ rules: [pods], incomplete: false }) },
    { ...says({ kind: 'no-opinion' }), rulesFor: () => ({ rules: [], incomplete: true, error: 'cannot say' }) },
  ])
  deepEqual(chain.rulesFor({ name: 'u', groups: [] }, 'apps'), { rules: [pods], incomplete: true, error: 'cannot say' })
  equal(ALWAYS_ALLOW.rulesFor({ name: 'u', groups: [] }, 'apps').rules.length, 2)
})
