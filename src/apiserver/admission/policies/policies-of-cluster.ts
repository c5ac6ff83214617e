import { selectsLabels } from '../../../api/label-selector.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import type { MatchResources, ParamRef, Variable } from '../../../api/kinds/admission-registration.ts'
import { NAMESPACES } from '../../../api/kinds/namespace.ts'
import type { MatchCondition } from '../../../api/kinds/admission-registration.ts'
import type { Draft, KindDefinition } from '../../core/kind-definition.ts'
import type { KindRegistry } from '../../core/kind-registry.ts'
import type { Store } from '../../core/store.ts'
import { keyOf, storageOf } from '../../core/stored-object.ts'
import { CelError } from '../../schema/cel/cel-error.ts'
import { POLICY_NAMES } from '../../kinds/rules/expressions.ts'
import type { CostMeter } from '../../schema/cost-meter.ts'
import type { AdmissionRequest } from '../admission.ts'
import { createExpressions, createMeter, describeRequest } from '../admission-expressions.ts'
import type { Result } from '../admission-expressions.ts'
import { showDraft, findMatchedKind } from '../matched-request.ts'

type Spec = {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
  readonly failurePolicy?: string
}
export type AnyPolicy = KubeObject & { readonly spec?: Spec }
export type AnyBinding = KubeObject & {
  readonly spec?: {
    readonly policyName?: string
    readonly paramRef?: ParamRef
    readonly matchResources?: MatchResources
  }
}

/** A policy that applies to a request through a binding, with one object of its parameters if it has any. */
export type Applied<P, B> = {
  readonly policy: P
  readonly binding: B
  /** The version of the kind that the policy sees. */
  readonly kind: KindDefinition
  /** Undefined if the policy cannot be evaluated; the failure policy decides. */
  readonly evaluate: (expression: string, object: Draft | undefined) => Result
  /** Why the policy cannot be evaluated at all. */
  readonly failure?: string
}

/** The policies of one type with their bindings, read again after a change. */
export interface PoliciesOfCluster<P, B> {
  /** Nothing, without any work, if there are no bindings. */
  appliedTo(request: AdmissionRequest): Applied<P, B>[]
}

// Policies cannot lock anyone out of changing them.
const EXEMPT_GROUP = 'admissionregistration.k8s.io'

export function readPolicies<P extends AnyPolicy, B extends AnyBinding>(
  { store, kinds }: { store: Store; kinds: KindRegistry },
  types: { policies: ResourceType<P>; bindings: ResourceType<B> },
): PoliciesOfCluster<P, B> {
  const expressions = createExpressions(POLICY_NAMES)
  const pairs = readPairs(store, types)
  const appliedTo = (request: AdmissionRequest): Applied<P, B>[] => {
    if (pairs().length === 0 || request.kind.type.group === EXEMPT_GROUP) return []
    return pairs().flatMap(({ policy, binding }) => {
      const kind = matchedKind(policy, binding, request)
      if (!kind) return []
      const found = paramsOf(policy, binding, request)
      if (found.kind === 'missing') return found.isAllowed ? [] : [failed({ policy, binding, kind }, found.why)]
      return found.params.flatMap((params) => applyOne({ policy, binding, kind }, params, request))
    })
  }
  const matchedKind = (policy: P, binding: B, request: AdmissionRequest): KindDefinition | undefined => {
    const constraints = policy.spec?.matchConstraints
    if (!constraints) return undefined
    const kind = findMatchedKind(matcherOf(constraints), request, kinds)
    const more = binding.spec?.matchResources
    if (!kind || !more) return kind
    // A binding without rules narrows only by its selectors.
    const rules = (more.resourceRules ?? []).length > 0 ? more.resourceRules : ANY_RULE
    return findMatchedKind({ ...matcherOf(more), rules: rules ?? [] }, request, kinds) ? kind : undefined
  }

  const applyOne = (
    { policy, binding, kind }: Pick<Applied<P, B>, 'policy' | 'binding' | 'kind'>,
    params: Draft | null,
    request: AdmissionRequest,
  ): Applied<P, B>[] => {
    const meter = createMeter()
    const evaluate = (expression: string, object: Draft | undefined): Result =>
      expressions.evaluate(expression.trim(), valuesOf(policy, kind, { params, request, object, meter }), meter)
    const conditions = (policy.spec?.matchConditions ?? []).map((one) => evaluate(one.expression, request.object))
    if (conditions.some((result) => result.kind === 'value' && result.value === false)) return []
    const wrong = conditions.find((result) => result.kind === 'error')
    if (wrong?.kind === 'error') return [failed({ policy, binding, kind }, wrong.why)]
    return [{ policy, binding, kind, evaluate }]
  }

  // In the order of the names that expressions are compiled with.
  const valuesOf = (
    policy: P,
    kind: KindDefinition,
    given: { params: Draft | null; request: AdmissionRequest; object: Draft | undefined; meter: CostMeter },
  ): readonly unknown[] => {
    const { request, params, meter } = given
    const shown = (draft: Draft | undefined): Draft | null => (draft ? showDraft(request, draft, kind) : null)
    const namespace = request.view.find(storageOf(NAMESPACES), request.namespace)?.object ?? null
    const variables: Record<string, unknown> = {}
    const values = [
      shown(given.object),
      shown(request.old),
      describeRequest(request, kind),
      params,
      namespace,
      variables,
    ]
    for (const { name, expression } of policy.spec?.variables ?? [])
      defineLazily(variables, name, () => expressions.evaluate(expression.trim(), values, meter))
    return values
  }
  const paramsOf = (policy: P, binding: B, request: AdmissionRequest): Params => {
    const { paramKind } = policy.spec ?? {}
    const ref = binding.spec?.paramRef
    if (!paramKind || !ref) return { kind: 'found', params: [null] }
    const kind = kinds.findByKind(paramKind.apiVersion ?? '', paramKind.kind ?? '')
    if (!kind)
      return missing(
        ref,
        `failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'`,
      )
    const namespace = kind.type.namespaced ? (ref.namespace ?? request.namespace) : ''
    const objects = ref.name
      ? [request.view.find(kind.storage, keyOf(namespace, ref.name))].flatMap((one) => one ?? [])
      : request.view
          .list(kind.storage, namespace || undefined)
          .filter(({ object }) => selectsLabels(ref.selector ?? {}, object.metadata.labels))
    if (objects.length === 0)
      return missing(ref, 'no params found for policy binding with `Deny` parameterNotFoundAction')
    return { kind: 'found', params: objects.map(({ object }) => object as unknown as Draft) }
  }
  return { appliedTo }
}

type Params =
  | { readonly kind: 'found'; readonly params: readonly (Draft | null)[] }
  | { readonly kind: 'missing'; readonly isAllowed: boolean; readonly why: string }

const missing = (ref: ParamRef, why: string): Params => ({
  kind: 'missing',
  isAllowed: ref.parameterNotFoundAction === 'Allow',
  why: `failed to configure binding: ${why}`,
})

const failed = <P, B>(of: Pick<Applied<P, B>, 'policy' | 'binding' | 'kind'>, failure: string): Applied<P, B> => ({
  ...of,
  failure,
  evaluate: () => ({ kind: 'error', why: failure }),
})

const ANY_RULE = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] }]

const matcherOf = (match: MatchResources) => ({
  ...match,
  rules: match.resourceRules ?? [],
  excluded: match.excludeResourceRules ?? [],
})

// A variable is evaluated when it is first used, and once: an unused one costs nothing and cannot fail.
function defineLazily(target: Record<string, unknown>, name: string, compute: () => Result): void {
  let result: Result | undefined
  Object.defineProperty(target, name, {
    enumerable: true,
    get: () => {
      result ??= compute()
      if (result.kind === 'error') throw new CelError(`composited variable "${name}" fails to evaluate: ${result.why}`)
      return result.value
    },
  })
}

function readPairs<P extends AnyPolicy, B extends AnyBinding>(
  store: Store,
  { policies, bindings }: { policies: ResourceType<P>; bindings: ResourceType<B> },
): () => readonly { policy: P; binding: B }[] {
  const storages = [policies, bindings].map(storageOf)
  const read = (): { policy: P; binding: B }[] =>
    store.visible.list(storageOf(bindings)).flatMap(({ object }) => {
      const binding = object as unknown as B
      const policy = store.visible.find(storageOf(policies), binding.spec?.policyName ?? '')?.object as P | undefined
      return policy ? [{ policy, binding }] : []
    })
  let pairs = read()
  store.onChange(({ storage }) => {
    if (storages.includes(storage)) pairs = read()
  })
  return () => pairs
}
