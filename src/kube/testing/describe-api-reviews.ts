import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import { SELF_SUBJECT_REVIEWS, TOKEN_REVIEWS } from '../../api/kinds/authentication.ts'
import type { SelfSubjectReview, TokenRequest, TokenReview } from '../../api/kinds/authentication.ts'
import { SELF_SUBJECT_ACCESS_REVIEWS, SUBJECT_ACCESS_REVIEWS } from '../../api/kinds/authorization.ts'
import type { SelfSubjectAccessReview, SubjectAccessReview } from '../../api/kinds/authorization.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import { refOf } from '../../api/object-key.ts'
import type { ApiUnderTest } from './api-under-test.ts'

/** Kinds that are answered and not stored. */
export function describeApiReviews(test: ApiUnderTest): void {
  const tokenRequest = (audiences: string[]): TokenRequest => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences, expirationSeconds: 600 },
  })
  const tokenReview = (token: string, audiences: string[]): TokenReview => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token, audiences },
  })

  describe('sub-resources and reviews', () => {
    it('give a token for a service account, which proves who has it', async () => {
      const account = await test.api.create(SERVICE_ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'default', name: test.nameFor('account') },
      })
      const { status } = await test.api.createSubresource<TokenRequest>(
        SERVICE_ACCOUNTS,
        refOf(account),
        'token',
        tokenRequest(['here']),
      )
      assert.ok(status?.token && status.expirationTimestamp)
      const review = await test.api.review<TokenReview>(TOKEN_REVIEWS, tokenReview(status.token, ['here']))
      assert.deepEqual(
        [review.status?.authenticated, review.status?.user?.username],
        [true, `system:serviceaccount:default:${account.metadata.name}`],
      )
      const elsewhere = await test.api.review<TokenReview>(TOKEN_REVIEWS, tokenReview(status.token, ['elsewhere']))
      assert.notEqual(elsewhere.status?.authenticated, true)
    })

    it('know no token for an account that is not there', async () => {
      await assert.rejects(
        test.api.createSubresource(
          SERVICE_ACCOUNTS,
          { namespace: 'default', name: test.nameFor('nobody') },
          'token',
          tokenRequest([]),
        ),
        isNotFound,
      )
    })

    it('tell who is asking, and what that user and others may do', async () => {
      const self = await test.api.review<SelfSubjectReview>(SELF_SUBJECT_REVIEWS, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
        metadata: {},
      })
      assert.ok(self.status?.userInfo?.username)
      const resourceAttributes = { namespace: 'default', verb: 'delete', resource: 'configmaps' }
      const own: SelfSubjectAccessReview = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: {},
        spec: { resourceAttributes },
      }
      assert.equal((await test.api.review(SELF_SUBJECT_ACCESS_REVIEWS, own)).status?.allowed, true)
      const others: SubjectAccessReview = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: { user: test.nameFor('nobody'), resourceAttributes },
      }
      assert.equal((await test.api.review(SUBJECT_ACCESS_REVIEWS, others)).status?.allowed, false)
    })
  })
}
