import { formatFieldSelector } from '../../api/field-selector.ts'
import { formatLabelSelector, labelRequirementsOf } from '../../api/label-selector.ts'
import type {
  AccessAttributes,
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../api/kinds/authorization.ts'
import type { ObjectMeta } from '../../api/object.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { badRequest, invalid } from '../core/refusals.ts'
import type { Authorizer, RequestAttributes } from '../core/request.ts'
import type { User } from '../core/user.ts'
import type { RuleResolver } from './authorizer-chain.ts'
import { reasonOf } from './decision.ts'
import { equalIgnoring } from './semantic-equality.ts'

/** Answers whether a user may do something. Nothing is stored: the body is returned with its status. */
export type AccessReviews = {
  subject(body: SubjectAccessReview): SubjectAccessReview
  self(body: SelfSubjectAccessReview, user: User): SelfSubjectAccessReview
  /** The namespace of the path. */
  local(body: LocalSubjectAccessReview, namespace: string): LocalSubjectAccessReview
  rules(body: SelfSubjectRulesReview, user: User): SelfSubjectRulesReview
}

export function createAccessReviews(authorizer: Authorizer & RuleResolver): AccessReviews {
  const decide = (user: User, access: AccessAttributes): SubjectAccessReviewStatus => {
    const { attributes, problem } = attributesOf(user, access)
    const decision = authorizer.authorize(attributes)
    const reason = reasonOf(decision)
    return {
      allowed: decision.kind === 'allow',
      ...(decision.kind === 'deny' ? { denied: true } : {}),
      ...(reason === '' ? {} : { reason }),
      ...(problem === undefined ? {} : { evaluationError: problem }),
    }
  }
  return {
    subject(body) {
      refuseProblems(body, [...subjectProblems(body.spec), ...metadataProblems(body.metadata, [], 'must be empty')])
      return { ...body, status: decide(subjectOf(body.spec), body.spec) }
    },
    self(body, user) {
      refuseProblems(body, [...accessProblems(body.spec), ...metadataProblems(body.metadata, [], 'must be empty')])
      return { ...body, status: decide(user, body.spec) }
    },
    local(body, namespace) {
      const given = body.metadata.namespace ?? ''
      refuseProblems(body, [
        ...subjectProblems(body.spec),
        ...metadataProblems(body.metadata, ['namespace'], 'must be empty except for namespace'),
        ...localProblems(body.spec, given),
      ])
      if (namespace === '') throw badRequest('namespace is required on this type: ')
      if (namespace !== given) throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`)
      return { ...body, status: decide(subjectOf(body.spec), body.spec) }
    },
    rules(body, user) {
      const { namespace } = body.spec
      if (!namespace) throw badRequest('no namespace on request')
      const { rules, incomplete, error } = authorizer.rulesFor(user, namespace)
      const resourceRules = rules.flatMap(({ nonResourceURLs: _none, ...rule }) =>
        rule.resources?.length ? [rule] : [],
      )
      const nonResourceRules = rules.flatMap(({ verbs, nonResourceURLs }) =>
        nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : [],
      )
      return {
        ...body,
        status: {
          resourceRules,
          nonResourceRules,
          incomplete,
          ...(error === undefined ? {} : { evaluationError: error }),
        },
      }
    },
  }
}

const subjectOf = ({ user = '', uid, groups = [], extra }: SubjectAccessReviewSpec): User => ({
  name: user,
  groups,
  ...(uid ? { uid } : {}),
  ...(extra ? { extra } : {}),
})

// An invalid selector is ignored: the review then covers more, so the answer is never too permissive.
function attributesOf(user: User, access: AccessAttributes): { attributes: RequestAttributes; problem?: string } {
  const { resourceAttributes: asked, nonResourceAttributes } = access
  if (!asked) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {}
    return { attributes: { user, verb, isResource: false, path } }
  }
  const { verb = '', group = '', version = '', resource = '', subresource = '', namespace = '', name = '' } = asked
  const selectors = selectorsOf(asked)
  return {
    attributes: {
      user,
      verb,
      isResource: true,
      group,
      version: version || '*',
      resource,
      subresource,
      namespace,
      name,
      ...selectors.read,
    },
    ...(selectors.problems.length === 0 ? {} : { problem: selectors.problems.join(', ') }),
  }
}

type Selectors = { fieldSelector?: string; labelSelector?: string }

function selectorsOf({ fieldSelector, labelSelector }: ResourceAttributes): { read: Selectors; problems: string[] } {
  const problems: string[] = []
  const read: Selectors = {}
  if (fieldSelector?.rawSelector) read.fieldSelector = fieldSelector.rawSelector
  else if (fieldSelector) {
    const requirements = (fieldSelector.requirements ?? []).flatMap(
      ({ key, operator, values: [value, ...more] = [] }) => {
        const known = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : undefined
        if (known === undefined) problems.push(`fieldSelectors do not yet support ${operator}`)
        else if (value === undefined || more.length > 0)
          problems.push('fieldSelectors do not yet support multiple values')
        else return [{ field: key, operator: known, value } as const]
        return []
      },
    )
    if (requirements.length > 0) read.fieldSelector = formatFieldSelector(requirements)
  }
  if (labelSelector?.rawSelector) read.labelSelector = labelSelector.rawSelector
  else if (labelSelector?.requirements?.length) {
    try {
      read.labelSelector = formatLabelSelector(labelRequirementsOf({ matchExpressions: labelSelector.requirements }))
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { read, problems }
}

function refuseProblems({ kind }: { kind: string }, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid({ group: 'authorization.k8s.io', kind }, '', problems)
}

const problem = (field: string, value: unknown, detail: string): FieldProblem => ({
  field,
  type: 'FieldValueInvalid',
  value,
  detail,
})

function accessProblems({ resourceAttributes, nonResourceAttributes }: AccessAttributes): FieldProblem[] {
  const both = problem(
    'spec.nonResourceAttributes',
    nonResourceAttributes,
    'cannot be specified in combination with resourceAttributes',
  )
  if (resourceAttributes && nonResourceAttributes) return [both]
  if (resourceAttributes || nonResourceAttributes) return []
  return [
    problem(
      'spec.resourceAttributes',
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ]
}

const subjectProblems = (spec: SubjectAccessReviewSpec): FieldProblem[] => [
  ...accessProblems(spec),
  ...(spec.user || spec.groups?.length
    ? []
    : [problem('spec.user', spec.user ?? '', 'at least one of user or group must be specified')]),
]

// The server itself adds these to requests; any other field in metadata is not supported.
const ADDED = ['creationTimestamp', 'managedFields']

function metadataProblems(metadata: ObjectMeta, allowed: readonly string[], detail: string): FieldProblem[] {
  const rest = Object.entries(metadata).filter(([key, value]) => value !== '' && ![...ADDED, ...allowed].includes(key))
  const given = !equalIgnoring(Object.fromEntries(rest), {})
  return given ? [problem('metadata', metadata, detail)] : []
}

const localProblems = (
  { resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec,
  namespace: string,
): FieldProblem[] => [
  ...(resourceAttributes && (resourceAttributes.namespace ?? '') !== namespace
    ? [
        problem(
          'spec.resourceAttributes.namespace',
          resourceAttributes.namespace ?? '',
          'must match metadata.namespace',
        ),
      ]
    : []),
  ...(nonResourceAttributes
    ? [problem('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request')]
    : []),
]
