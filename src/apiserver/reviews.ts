import type { KubeObject } from '../api/object.ts'
import { createTokenReview, reviewSelf } from './authentication/identity-reviews.ts'
import type { Authenticator } from './authentication/authenticator.ts'
import type { TokenRequestHandler } from './authentication/token-request.ts'
import { createAccessReviews } from './authorization/access-reviews.ts'
import type { RuleResolver } from './authorization/authorizer-chain.ts'
import type { Handle, SpecialHandler } from './core/perform-request.ts'
import { decodeObject } from './core/decode-object.ts'
import { writeRequest } from './core/perform-request.ts'
import type { Authorizer } from './core/request.ts'
import type { RequestOf } from './core/resource-request.ts'
import { admit } from './core/write-request.ts'
import { findSchema } from './schema/find-schema.ts'
import type { KindDefinition } from './core/kind-definition.ts'
import type { TokenRequest } from '../api/kinds/authentication.ts'

export type ReviewParts = {
  authorizer: Authorizer & RuleResolver
  authenticator: Authenticator
  requestToken: TokenRequestHandler
}

/** Kinds that are answered and not stored, by their storage name. */
export function reviewHandlers({ authorizer, authenticator, requestToken }: ReviewParts): [string, SpecialHandler][] {
  const access = createAccessReviews(authorizer)
  const review = createTokenReview(authenticator)
  return [
    ['authentication.k8s.io/tokenreviews', answer((body) => review(body as Parameters<typeof review>[0]))],
    [
      'authentication.k8s.io/selfsubjectreviews',
      answer((body, { user }) => reviewSelf(body as Parameters<typeof reviewSelf>[0], user)),
    ],
    [
      'authorization.k8s.io/subjectaccessreviews',
      answer((body) => access.subject(body as Parameters<typeof access.subject>[0])),
    ],
    [
      'authorization.k8s.io/selfsubjectaccessreviews',
      answer((body, { user }) => access.self(body as Parameters<typeof access.self>[0], user)),
    ],
    [
      'authorization.k8s.io/localsubjectaccessreviews',
      answer((body, { namespace }) => access.local(body as Parameters<typeof access.local>[0], namespace)),
    ],
    [
      'authorization.k8s.io/selfsubjectrulesreviews',
      answer((body, { user }) => access.rules(body as Parameters<typeof access.rules>[0], user)),
    ],
    ['serviceaccounts/token', tokenHandler(requestToken)],
  ]
}

// The casts above are safe because a body has passed the schema of its kind.
function answer(judge: (body: KubeObject, request: RequestOf<'create'>) => object): SpecialHandler {
  const create: Handle<'create'> = (request) => {
    const warnings: string[] = []
    const body = decodeObject(
      request.kind,
      request.body,
      request.options.fieldValidation,
      warnings,
      request.options.duplicateFields,
    )
    return Promise.resolve({ kind: 'value', code: 201, value: judge(body as unknown as KubeObject, request), warnings })
  }
  return { create }
}

// The kind of the body does not match the resource it is posted to.
function tokenHandler(requestToken: TokenRequestHandler): SpecialHandler {
  const schema = findSchema('authentication.k8s.io', 'v1', 'TokenRequest')
  const type = {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'TokenRequest',
    plural: 'tokenrequests',
    namespaced: true,
  }
  if (!schema) throw new Error('there is no schema of TokenRequest')
  const create: Handle<'create'> = (request, parts) => {
    const write = writeRequest(request, request.options)
    const kind: KindDefinition = { ...request.kind, type, schema }
    const body = decodeObject(kind, request.body, write.fieldValidation, write.warnings, write.duplicateFields)
    admit('validate', parts, write, { operation: 'CREATE', object: body, old: undefined })
    return Promise.resolve({
      kind: 'value',
      code: 201,
      value: requestToken(request.namespace, request.name, body as unknown as TokenRequest),
      warnings: write.warnings,
    })
  }
  return { create }
}
