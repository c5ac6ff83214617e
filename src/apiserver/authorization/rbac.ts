import type { LabelSelector } from '../../api/kinds/selectors.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../api/kinds/rbac.ts'
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../api/kinds/rbac.ts'
import { selectsLabels } from '../../api/label-selector.ts'
import { quoteGo } from '../../api/quote-go.ts'
import type { Authorizer } from '../core/request.ts'
import type { Change, StateView } from '../core/stored-object.ts'
import type { User } from '../core/user.ts'
import type { RuleResolver } from './authorizer-chain.ts'
import { allow, noOpinion } from './decision.ts'
import type { Opinion } from './decision.ts'
import { ruleAllows } from './policy-rule.ts'
import { storageOf } from '../core/stored-object.ts'
import { findObject, listObjects } from './typed-view.ts'

/** Roles and bindings, always at the newest state. */
export interface Rbac extends Authorizer, RuleResolver {
  /** The rules of a role, including aggregated ones; undefined if the role does not exist. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined
  /** Must be called for every change that becomes visible, in order. */
  onChange(change: Change): void
}

type Binding = RoleBinding | ClusterRoleBinding
// The reason is formatted when it is first needed, and is the same for every request.
type Grant = { readonly binding: Binding; readonly subject: Subject; reason?: string }

/** Reads the bindings once; then `onChange` keeps their index up to date, so that a check only reads those of the user. */
export function createRbac(view: StateView): Rbac {
  // By namespace and subject, then by the binding's key.
  const grants = new Map<string, Map<string, Grant>>()
  const aggregated = new Map<string, readonly PolicyRule[]>()

  const add = (binding: Binding): void => {
    const namespace = binding.metadata.namespace ?? ''
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(namespace, subject)
      if (key === undefined) continue
      let found = grants.get(key)
      if (!found) grants.set(key, (found = new Map()))
      const name = binding.metadata.name ?? ''
      if (!found.has(name)) found.set(name, { binding, subject })
    }
  }
  const remove = (binding: Binding): void => {
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(binding.metadata.namespace ?? '', subject)
      const found = key === undefined ? undefined : grants.get(key)
      if (key === undefined || !found) continue
      found.delete(binding.metadata.name ?? '')
      if (found.size === 0) grants.delete(key)
    }
  }
  for (const binding of [...listObjects(view, CLUSTER_ROLE_BINDINGS), ...listObjects(view, ROLE_BINDINGS)]) add(binding)

  const onChange = ({ storage, type, before, after }: Change): void => {
    if (storage === storageOf(CLUSTER_ROLES)) aggregated.clear()
    if (storage !== storageOf(CLUSTER_ROLE_BINDINGS) && storage !== storageOf(ROLE_BINDINGS)) return
    if (before) remove(before.object as Binding)
    if (type === 'put') add(after.object as Binding)
  }

  // Cluster role bindings first; a binding that matches the user twice is returned once.
  function* grantsOf(user: User, namespace: string): Generator<Grant> {
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const seen = new Set<string>()
      for (const key of userKeys(scope, user)) {
        for (const [name, grant] of grants.get(key) ?? []) {
          if (seen.has(name)) continue
          seen.add(name)
          yield grant
        }
      }
    }
  }

  const rulesOf: Rbac['rulesOf'] = ({ kind, name }, namespace) => {
    if (kind === 'Role') {
      const role = namespace === '' ? undefined : findObject(view, ROLES, { namespace, name })
      return role && (role.rules ?? [])
    }
    const role = findObject(view, CLUSTER_ROLES, { name })
    return role && clusterRules(role)
  }
  const clusterRules = (role: ClusterRole): readonly PolicyRule[] => {
    if (!role.aggregationRule) return role.rules ?? []
    const name = role.metadata.name ?? ''
    const known = aggregated.get(name)
    if (known) return known
    const rules = gatherRules(role, listObjects(view, CLUSTER_ROLES))
    aggregated.set(name, rules)
    return rules
  }

  const authorize = (attributes: Parameters<Authorizer['authorize']>[0]): Opinion => {
    const missing = new Set<string>()
    for (const grant of grantsOf(attributes.user, attributes.isResource ? attributes.namespace : '')) {
      const { roleRef, metadata } = grant.binding
      const rules = rulesOf(roleRef, metadata.namespace ?? '')
      if (!rules) missing.add(describeMissing(roleRef))
      else if (rules.some((rule) => ruleAllows(rule, attributes)))
        return allow((grant.reason ??= `RBAC: allowed by ${describeGrant(grant)}`))
    }
    return noOpinion(missing.size === 0 ? '' : `RBAC: ${formatProblems([...missing])}`)
  }

  const rulesFor: RuleResolver['rulesFor'] = (user, namespace) => {
    const rules: PolicyRule[] = []
    const missing = new Set<string>()
    for (const { binding } of grantsOf(user, namespace)) {
      const granted = rulesOf(binding.roleRef, binding.metadata.namespace ?? '')
      if (granted) rules.push(...granted)
      else missing.add(describeMissing(binding.roleRef))
    }
    return { rules, incomplete: false, ...(missing.size === 0 ? {} : { error: formatProblems([...missing]) }) }
  }

  return { authorize, rulesFor, rulesOf, onChange }
}

// A service account is equivalent to its user name, so one lookup finds the bindings of either form.
function subjectKey(namespace: string, { kind, name, namespace: accountNamespace }: Subject): string | undefined {
  if (kind === 'User') return `${namespace} user ${name}`
  if (kind === 'Group') return `${namespace} group ${name}`
  const home = accountNamespace || namespace
  return home === '' ? undefined : `${namespace} user system:serviceaccount:${home}:${name}`
}

const userKeys = (namespace: string, { name, groups }: User): string[] => [
  `${namespace} user ${name}`,
  ...groups.map((group) => `${namespace} group ${group}`),
]

// Aggregated roles can aggregate others: each is visited once, so that a cycle ends. An aggregated role's own rules do not count.
function gatherRules(root: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] {
  const taken = new Set([root])
  const rules: PolicyRule[] = []
  for (const role of taken) {
    if (!role.aggregationRule) {
      rules.push(...(role.rules ?? []))
      continue
    }
    const selectors = role.aggregationRule.clusterRoleSelectors ?? []
    for (const other of all) if (selectors.some((selector) => selects(selector, other))) taken.add(other)
  }
  return rules
}

function selects(selector: LabelSelector, { metadata }: ClusterRole): boolean {
  try {
    return selectsLabels(selector, metadata.labels)
  } catch {
    // An invalid selector selects nothing, and must not affect the permissions that other roles grant.
    return false
  }
}

function describeGrant({ binding, subject }: Grant): string {
  const { name = '', namespace = '' } = binding.metadata
  const bound =
    namespace === '' ? `ClusterRoleBinding ${quoteGo(name)}` : `RoleBinding ${quoteGo(`${name}/${namespace}`)}`
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  return `${bound} of ${binding.roleRef.kind} ${quoteGo(binding.roleRef.name)} to ${subject.kind} ${quoteGo(who)}`
}

const describeMissing = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoteGo(name)} not found`

const formatProblems = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`
