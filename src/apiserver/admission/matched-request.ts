import { selectsLabels } from '../../api/label-selector.ts'
import type { MatchResources, NamedRuleWithOperations } from '../../api/kinds/admission-registration.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import type { LabelSelector } from '../../api/kinds/selectors.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import { decodeObject } from '../core/decode-object.ts'
import { draftOf, metaOf } from '../core/drafts.ts'
import type { Draft, KindDefinition } from '../core/kind-definition.ts'
import type { KindRegistry } from '../core/kind-registry.ts'
import { storageOf } from '../core/stored-object.ts'
import type { AdmissionRequest } from './admission.ts'

type Rule = Pick<
  NamedRuleWithOperations,
  'operations' | 'apiGroups' | 'apiVersions' | 'resources' | 'scope' | 'resourceNames'
>

/** Which requests a webhook or policy is for: its selectors and whether other versions of a kind count as the same. */
export type Matcher = Pick<MatchResources, 'matchPolicy' | 'namespaceSelector' | 'objectSelector'> & {
  readonly rules: readonly Rule[]
  readonly excluded?: readonly Rule[]
}

/** The version of the kind in which a matcher wants to see the object; undefined if the request does not concern it. */
export function findMatchedKind(
  matcher: Matcher,
  request: AdmissionRequest,
  kinds: KindRegistry,
): KindDefinition | undefined {
  const kind = findRuleKind(matcher, request, kinds)
  if (!kind || (matcher.excluded ?? []).some((rule) => matchesRule(rule, kind, request))) return undefined
  return selectsNamespace(matcher.namespaceSelector, request) && selectsObject(matcher.objectSelector, request)
    ? kind
    : undefined
}

function findRuleKind(matcher: Matcher, request: AdmissionRequest, kinds: KindRegistry): KindDefinition | undefined {
  const matches = (kind: KindDefinition): boolean => matcher.rules.some((rule) => matchesRule(rule, kind, request))
  if (matches(request.kind)) return request.kind
  if (matcher.matchPolicy === 'Exact') return undefined
  return kinds.all().find((kind) => kind.storage === request.kind.storage && kind !== request.kind && matches(kind))
}

function matchesRule(rule: Rule, { type }: KindDefinition, request: AdmissionRequest): boolean {
  const has = (items: readonly string[] | undefined, value: string): boolean =>
    (items ?? []).some((item) => item === '*' || item === value)
  const scope = rule.scope ?? '*'
  return (
    has(rule.operations, request.operation) &&
    has(rule.apiGroups, type.group) &&
    has(rule.apiVersions, type.version) &&
    (rule.resources ?? []).some((resource) => matchesResource(resource, type.plural, request.subresource)) &&
    (scope === '*' || (scope === 'Namespaced') === type.namespaced) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(request.name))
  )
}

function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const [name = '', sub] = pattern.split('/')
  return (
    (name === '*' || name === resource) && (sub === undefined ? subresource === '' : sub === '*' || sub === subresource)
  )
}

function selectsNamespace(
  selector: LabelSelector | undefined,
  { kind, namespace, object, old, view }: AdmissionRequest,
): boolean {
  if (kind.storage === storageOf(NAMESPACES)) {
    const draft = object ?? old
    return selectsLabels(selector ?? {}, draft ? metaOf(draft).labels : {})
  }
  if (!kind.type.namespaced) return true
  return selectsLabels(selector ?? {}, view.find(storageOf(NAMESPACES), namespace)?.object.metadata.labels ?? {})
}

function selectsObject(selector: LabelSelector | undefined, { object, old }: AdmissionRequest): boolean {
  return [object, old].some((draft) => draft && selectsLabels(selector ?? {}, metaOf(draft).labels ?? {}))
}

/** The object of a request as a matcher wants to see it. An object of a subresource has one version only. */
export const showDraft = ({ kind, shownKind }: AdmissionRequest, draft: Draft, seenAs: KindDefinition): Draft =>
  shownKind ? draft : convertDraft(draft, kind, seenAs)

/** The object that somebody changed, as that of the request: unknown fields are dropped, and a wrong type is an error. */
export const takeDraft = ({ kind, shownKind }: AdmissionRequest, draft: Draft, seenAs: KindDefinition): Draft =>
  decodeObject(shownKind ?? kind, shownKind ? draft : convertDraft(draft, seenAs, kind), 'Ignore', [])

/** An object in another version of its kind. */
export function convertDraft(draft: Draft, from: KindDefinition, to: KindDefinition): Draft {
  if (from === to) return draft
  const stored = from.toStored ? from.toStored(draftOf(draft)) : draftOf(draft)
  const shown = to.fromStored ? to.fromStored(stored) : stored
  return { ...shown, apiVersion: apiVersionOf(to.type), kind: to.type.kind }
}
