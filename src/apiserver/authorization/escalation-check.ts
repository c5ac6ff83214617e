import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../api/kinds/rbac.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '../../api/kinds/rbac.ts'
import { quoteGo } from '../../api/quote-go.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden, notFound } from '../core/refusals.ts'
import type { Authorizer } from '../core/request.ts'
import { isPrivileged } from './authorizer-chain.ts'
import { findMissingRights, formatRights } from './policy-rule.ts'
import type { Rbac } from './rbac.ts'
import { equalIgnoring } from './semantic-equality.ts'

const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/**
 * You cannot grant permissions you don't hold: a user may only write a role with permissions that the user has, and only bind a
 * role all of whose permissions the user has. The verbs `escalate` on the role and `bind` on the bound role are the exceptions.
 */
export function createEscalationCheck({ rbac, authorizer }: { rbac: Rbac; authorizer: Authorizer }): AdmissionPlugin {
  const mayUse = (request: AdmissionRequest, verb: 'escalate' | 'bind', resource: string, name: string): boolean => {
    const { user, namespace } = request
    const role = { group: CLUSTER_ROLES.group, version: '*', resource, subresource: '', namespace, name }
    return authorizer.authorize({ user, verb, isResource: true, ...role }).kind === 'allow'
  }
  const missingRights = ({ user, namespace }: AdmissionRequest, wanted: readonly PolicyRule[]): PolicyRule[] =>
    findMissingRights(rbac.rulesFor(user, namespace).rules, wanted)

  const refuseMissing = (request: AdmissionRequest, wanted: readonly PolicyRule[]): void => {
    const missing = missingRights(request, wanted)
    if (missing.length === 0) return
    const { name, groups } = request.user
    const who = `user ${quoteGo(name)} (groups=[${groups.map(quoteGo).join(' ')}])`
    const what = formatRights(missing).join('\n')
    throw forbidden(
      request.kind.type,
      request.name,
      `${who} is attempting to grant RBAC permissions not currently held:\n${what}`,
    )
  }

  const checkRole = (request: AdmissionRequest, role: Role | ClusterRole): void => {
    if (mayUse(request, 'escalate', request.kind.type.plural, request.name)) return
    refuseMissing(request, role.rules ?? [])
    // An aggregated role can grant anything later, and can also hide what it granted before.
    if (![role, request.old].some(hasAggregation) || missingRights(request, FULL_AUTHORITY).length === 0) return
    throw forbidden(request.kind.type, request.name, 'must have cluster-admin privileges to use the aggregationRule')
  }

  const checkBinding = (request: AdmissionRequest, { roleRef }: RoleBinding | ClusterRoleBinding): void => {
    if (mayUse(request, 'bind', roleTypeOf(roleRef).plural, roleRef.name)) return
    const rules = rbac.rulesOf(roleRef, request.namespace)
    if (!rules) throw notFound(roleTypeOf(roleRef), roleRef.name)
    refuseMissing(request, rules)
  }

  return {
    name: 'RoleEscalation',
    validate(request) {
      const { kind, subresource, object, old, user } = request
      if (kind.type.group !== CLUSTER_ROLES.group || subresource !== '' || !object || isPrivileged(user)) return
      // A garbage collector without permissions of its own must be able to release an object.
      if (old && equalIgnoring(object, old, HOLDS)) return
      // Decoded and validated as the kind of the request, so the casts are safe.
      if (ROLE_PLURALS.includes(kind.type.plural)) checkRole(request, object as unknown as Role | ClusterRole)
      if (BINDING_PLURALS.includes(kind.type.plural))
        checkBinding(request, object as unknown as RoleBinding | ClusterRoleBinding)
    },
  }
}

const ROLE_PLURALS = [ROLES.plural, CLUSTER_ROLES.plural]
const BINDING_PLURALS = [ROLE_BINDINGS.plural, CLUSTER_ROLE_BINDINGS.plural]

const HOLDS = ['metadata.finalizers', 'metadata.ownerReferences', 'metadata.managedFields', 'metadata.resourceVersion']

const roleTypeOf = ({ kind }: RoleRef): typeof ROLES | typeof CLUSTER_ROLES => (kind === 'Role' ? ROLES : CLUSTER_ROLES)

function hasAggregation(role: unknown): boolean {
  const { aggregationRule } = (role ?? {}) as Partial<ClusterRole>
  return (aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0
}
