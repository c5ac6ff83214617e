import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import type {
  AccessAttributes,
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../api/kinds/authorization.ts'
import type { ObjectMeta } from '../../api/object.ts'
import type { RequestAttributes } from '../core/request.ts'
import type { User } from '../core/user.ts'
import { createAccessReviews } from './access-reviews.ts'
import type { RuleList } from './authorizer-chain.ts'

const apiVersion = 'authorization.k8s.io/v1'
const alice: User = { name: 'alice', groups: ['team'] }
const RULES: RuleList = {
  rules: [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] },
    { verbs: ['get'], nonResourceURLs: ['/healthz'] },
  ],
  incomplete: true,
  error: 'cannot say all',
}

/** Allows alice to read, denies deletion to all, and remembers the last request. */
function open(): { reviews: ReturnType<typeof createAccessReviews>; asked: () => RequestAttributes | undefined } {
  let last: RequestAttributes | undefined
  const reviews = createAccessReviews({
    authorize(attributes) {
      last = attributes
      if (attributes.verb === 'delete') return { kind: 'deny', reason: 'never' }
      return attributes.user.name === 'alice' && attributes.verb === 'get'
        ? { kind: 'allow', reason: 'is alice' }
        : { kind: 'no-opinion' }
    },
    rulesFor: () => RULES,
  })
  return { reviews, asked: () => last }
}
const subject = (spec: SubjectAccessReviewSpec, metadata: ObjectMeta = {}): SubjectAccessReview => ({
  apiVersion,
  kind: 'SubjectAccessReview',
  metadata,
  spec,
})
const self = (spec: AccessAttributes): SelfSubjectAccessReview => ({
  apiVersion,
  kind: 'SelfSubjectAccessReview',
  metadata: {},
  spec,
})
const local = (spec: SubjectAccessReviewSpec, namespace?: string): LocalSubjectAccessReview => ({
  apiVersion,
  kind: 'LocalSubjectAccessReview',
  metadata: namespace ? { namespace } : {},
  spec,
})

test('a review of a subject asks for that subject and answers with the reason', () => {
  const { reviews, asked } = open()
  const resourceAttributes = {
    verb: 'get',
    group: 'apps',
    resource: 'statefulsets',
    subresource: 'scale',
    namespace: 'ns',
    name: 's',
  }
  const spec = { user: 'alice', uid: '7', groups: ['g'], extra: { k: ['v'] }, resourceAttributes }
  deepEqual(reviews.subject(subject(spec)), { ...subject(spec), status: { allowed: true, reason: 'is alice' } })
  deepEqual(asked(), {
    user: { name: 'alice', uid: '7', groups: ['g'], extra: { k: ['v'] } },
    verb: 'get',
    isResource: true,
    group: 'apps',
    version: '*',
    resource: 'statefulsets',
    subresource: 'scale',
    namespace: 'ns',
    name: 's',
  })
})

test('nobody allowed it and somebody denied it are two answers', () => {
  const { reviews } = open()
  deepEqual(reviews.subject(subject({ user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods' } })).status, {
    allowed: false,
  })
  deepEqual(
    reviews.subject(subject({ user: 'bob', resourceAttributes: { verb: 'delete', resource: 'pods' } })).status,
    { allowed: false, denied: true, reason: 'never' },
  )
})

test('a review of oneself asks for whoever sends it', () => {
  const { reviews, asked } = open()
  equal(reviews.self(self({ nonResourceAttributes: { path: '/healthz', verb: 'get' } }), alice).status?.allowed, true)
  deepEqual(asked(), { user: alice, verb: 'get', isResource: false, path: '/healthz' })
})

test('selectors are passed on, whichever way they are written', () => {
  const { reviews, asked } = open()
  const ask = (resourceAttributes: AccessAttributes['resourceAttributes']): unknown => {
    const { status } = reviews.self(
      self({ resourceAttributes: { verb: 'list', resource: 'pods', ...resourceAttributes } }),
      alice,
    )
    const { fieldSelector, labelSelector } = asked() as { fieldSelector?: string; labelSelector?: string }
    return { fieldSelector, labelSelector, error: status?.evaluationError }
  }
  deepEqual(ask({ fieldSelector: { rawSelector: 'spec.nodeName=n1' }, labelSelector: { rawSelector: 'a=b' } }), {
    fieldSelector: 'spec.nodeName=n1',
    labelSelector: 'a=b',
    error: undefined,
  })
  deepEqual(
    ask({
      fieldSelector: {
        requirements: [
          { key: 'spec.nodeName', operator: 'In', values: ['n1'] },
          { key: 'metadata.name', operator: 'NotIn', values: ['p'] },
        ],
      },
    }),
    {
      fieldSelector: 'spec.nodeName=n1,metadata.name!=p',
      labelSelector: undefined,
      error: undefined,
    },
  )
  deepEqual(ask({ labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] } }), {
    fieldSelector: undefined,
    labelSelector: 'a in (b,c)',
    error: undefined,
  })
})

test('a selector that cannot be read is left out and reported', () => {
  const { reviews, asked } = open()
  const fieldSelector = { requirements: [{ key: 'spec.nodeName', operator: 'Exists' }] }
  const { status } = reviews.self(self({ resourceAttributes: { verb: 'get', resource: 'pods', fieldSelector } }), alice)
  equal(status?.evaluationError, 'fieldSelectors do not yet support Exists')
  equal((asked() as { fieldSelector?: string }).fieldSelector, undefined)
})

const REFUSED: [
  behaviour: string,
  ask: (reviews: ReturnType<typeof createAccessReviews>) => unknown,
  message: RegExp,
][] = [
  [
    'asks for nothing',
    (reviews) => reviews.subject(subject({ user: 'u' })),
    /SubjectAccessReview\.authorization\.k8s\.io "" is invalid: spec\.resourceAttributes: Invalid value: null: exactly one of/,
  ],
  [
    'asks for both',
    (reviews) => reviews.self(self({ resourceAttributes: {}, nonResourceAttributes: {} }), alice),
    /spec\.nonResourceAttributes: .* cannot be specified in combination with resourceAttributes/,
  ],
  [
    'names nobody',
    (reviews) => reviews.subject(subject({ resourceAttributes: {} })),
    /spec\.user: Invalid value: "": at least one of user or group must be specified/,
  ],
  [
    'has a name',
    (reviews) => reviews.subject(subject({ user: 'u', resourceAttributes: {} }, { name: 'x' })),
    /metadata: .*must be empty/,
  ],
  [
    'is local to another namespace',
    (reviews) => reviews.local(local({ user: 'u', resourceAttributes: { namespace: 'a' } }, 'b'), 'b'),
    /spec\.resourceAttributes\.namespace: Invalid value: "a": must match metadata\.namespace/,
  ],
  [
    'is local and asks for a path',
    (reviews) => reviews.local(local({ user: 'u', nonResourceAttributes: {} }, 'b'), 'b'),
    /disallowed on this kind of request/,
  ],
  [
    'is local to a namespace other than its path',
    (reviews) => reviews.local(local({ user: 'u', resourceAttributes: { namespace: 'b' } }, 'b'), 'c'),
    /must match namespace: c/,
  ],
  [
    'wants rules of no namespace',
    (reviews) => reviews.rules({ apiVersion, kind: 'SelfSubjectRulesReview', metadata: {}, spec: {} }, alice),
    /no namespace on request/,
  ],
]
for (const [behaviour, ask, message] of REFUSED) {
  test(`a review is refused that ${behaviour}`, () => {
    throws(
      () => ask(open().reviews),
      (error) => isApiError(error, 'Invalid', 'BadRequest') && message.test(error.message),
    )
  })
}

test('a local review answers for its namespace', () => {
  const body = local({ user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'ns' } }, 'ns')
  equal(open().reviews.local(body, 'ns').status?.allowed, true)
})

test('metadata that say nothing, as clients write them, are empty', () => {
  const metadata = { creationTimestamp: null as never, name: '', labels: {}, finalizers: [] }
  equal(
    open().reviews.subject(subject({ user: 'alice', resourceAttributes: { verb: 'get' } }, metadata)).status?.allowed,
    true,
  )
})

test('a review of rules parts them into resources and paths', () => {
  const body: SelfSubjectRulesReview = {
    apiVersion,
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace: 'ns' },
  }
  deepEqual(open().reviews.rules(body, alice).status, {
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
    incomplete: true,
    evaluationError: 'cannot say all',
  })
})
