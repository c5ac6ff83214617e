import { doesNotThrow, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { isApiError } from '../../api/api-error.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../api/kinds/rbac.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '../../api/kinds/rbac.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { User } from '../core/user.ts'
import { createEscalationCheck } from './escalation-check.ts'
import { createRbac } from './rbac.ts'
import { admissionUnderTest, openStoreUnderTest } from './testing/store-under-test.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const GROUP = 'rbac.authorization.k8s.io'
const READ_PODS: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }
const SECRETS: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
const ALL: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

const clusterRole = (name: string, rules: PolicyRule[], more: Partial<ClusterRole> = {}): ClusterRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
  ...more,
})
const role = (name: string, rules: PolicyRule[]): Role => ({
  apiVersion,
  kind: 'Role',
  metadata: { namespace: 'apps', name },
  rules,
})
const ref = (name: string, kind: RoleRef['kind'] = 'ClusterRole'): RoleRef => ({ apiGroup: GROUP, kind, name })
const clusterBinding = (name: string, roleName: string, user = 'other'): ClusterRoleBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  subjects: [{ kind: 'User', name: user }],
  roleRef: ref(roleName),
})
const binding = (name: string, roleRef: RoleRef, user = 'other'): RoleBinding => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { namespace: 'apps', name },
  subjects: [{ kind: 'User', name: user }],
  roleRef,
})

const WORLD = [
  clusterRole('reader', [READ_PODS]),
  clusterRole('secret-reader', [SECRETS]),
  clusterRole('everything', ALL),
  role('local-secrets', [SECRETS]),
  clusterRole('escalator', [{ verbs: ['escalate'], apiGroups: [GROUP], resources: ['clusterroles'] }]),
  clusterRole('binder', [
    { verbs: ['bind'], apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['secret-reader'] },
  ]),
  clusterBinding('reader', 'reader', 'reader'),
  clusterBinding('everything', 'everything', 'admin'),
  clusterBinding('escalator', 'escalator', 'escalator'),
  binding('binder', ref('binder'), 'binder'),
  binding('local', ref('secret-reader'), 'local'),
]
const who = (name: string): User => ({ name, groups: ['system:authenticated'] })

const GATHERING = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }

type Row = [
  behaviour: string,
  user: string,
  type: ResourceType,
  object: object,
  refusal?: RegExp | undefined,
  old?: object,
]
const ROWS: Row[] = [
  [
    'a role of rights that its writer has',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', [{ ...READ_PODS, verbs: ['get'] }]),
  ],
  [
    'a role limited to names within those rights',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', [{ ...READ_PODS, resourceNames: ['p'] }]),
  ],
  [
    'no role of other rights',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', [SECRETS]),
    /not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}/,
  ],
  [
    'no role of one verb more',
    'reader',
    ROLES,
    role('new', [{ ...READ_PODS, verbs: ['get', 'delete', 'watch'] }]),
    /\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["delete" "watch"\]\}$/,
  ],
  ['no role of all verbs', 'reader', ROLES, role('new', [{ ...READ_PODS, verbs: ['*'] }]), /Verbs:\["\*"\]/],
  ['no role of a sub-resource', 'reader', ROLES, role('new', [{ ...READ_PODS, resources: ['pods/log'] }]), /pods\/log/],
  [
    'no role of paths',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }]),
    /\{NonResourceURLs:\["\/metrics"\], Verbs:\["get"\]\}/,
  ],
  ['anything by who may do everything', 'admin', CLUSTER_ROLES, clusterRole('new', [...ALL, SECRETS])],
  ['anything by who may escalate', 'escalator', CLUSTER_ROLES, clusterRole('new', ALL)],
  ['no escalation of another kind of role', 'escalator', ROLES, role('new', [SECRETS]), /not currently held/],
  ['rights held in the namespace, within it', 'local', ROLES, role('new', [SECRETS])],
  [
    'rights held in the namespace, not for the cluster',
    'local',
    CLUSTER_ROLES,
    clusterRole('new', [SECRETS]),
    /not currently held/,
  ],
  [
    'no role that gathers others',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', [], GATHERING),
    /must have cluster-admin privileges to use the aggregationRule/,
  ],
  [
    'no change of a role that gathers others',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', []),
    /aggregationRule/,
    clusterRole('new', [], GATHERING),
  ],
  ['a role that gathers others by who may do everything', 'admin', CLUSTER_ROLES, clusterRole('new', [], GATHERING)],
  [
    'letting go of a role that holds more',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', ALL),
    undefined,
    clusterRole('new', ALL, { metadata: { name: 'new', finalizers: ['a/b'] } }),
  ],
  [
    'no relabelling of a role that holds more',
    'reader',
    CLUSTER_ROLES,
    clusterRole('new', ALL, { metadata: { name: 'new', labels: { a: 'b' } } }),
    /not currently held/,
    clusterRole('new', ALL),
  ],

  ['binding a role whose rights the binder has', 'reader', CLUSTER_ROLE_BINDINGS, clusterBinding('new', 'reader')],
  [
    'not binding a role of other rights',
    'reader',
    CLUSTER_ROLE_BINDINGS,
    clusterBinding('new', 'secret-reader'),
    /not currently held/,
  ],
  [
    'not binding a role that is not there',
    'reader',
    CLUSTER_ROLE_BINDINGS,
    clusterBinding('new', 'none'),
    /clusterroles\.rbac\.authorization\.k8s\.io "none" not found/,
  ],
  [
    'binding a role by who may bind that very one, where they may',
    'binder',
    ROLE_BINDINGS,
    binding('new', ref('secret-reader')),
  ],
  [
    'not for the whole cluster',
    'binder',
    CLUSTER_ROLE_BINDINGS,
    clusterBinding('new', 'secret-reader'),
    /not currently held/,
  ],
  ['not another role', 'binder', ROLE_BINDINGS, binding('new', ref('everything')), /not currently held/],
  [
    'binding a role of the namespace with rights held there',
    'local',
    ROLE_BINDINGS,
    binding('new', ref('local-secrets', 'Role')),
  ],
  [
    'not binding a role of the namespace without them',
    'reader',
    ROLE_BINDINGS,
    binding('new', ref('local-secrets', 'Role')),
    /not currently held/,
  ],
]

for (const [behaviour, user, type, object, refusal, old] of ROWS) {
  test(`a user may grant: ${behaviour}`, async () => {
    const store = await openStoreUnderTest(...WORLD)
    const rbac = createRbac(store.visible)
    const check = createEscalationCheck({ rbac, authorizer: rbac })
    const write = { type, object, operation: old ? 'UPDATE' : 'CREATE', ...(old ? { old } : {}) } as const
    const admit = (by: User): void => check.validate?.(admissionUnderTest(store, { ...write, user: by }))
    if (refusal)
      throws(
        () => admit(who(user)),
        (error) => isApiError(error, 'Forbidden', 'NotFound') && refusal.test(error.message),
      )
    else doesNotThrow(() => admit(who(user)))
    doesNotThrow(() => admit({ name: 'root', groups: ['system:masters'] }))
  })
}

test('the refusal names the user, its groups and what is missing', async () => {
  const store = await openStoreUnderTest(...WORLD)
  const rbac = createRbac(store.visible)
  const request = admissionUnderTest(store, {
    type: CLUSTER_ROLES,
    operation: 'CREATE',
    user: who('reader'),
    object: clusterRole('new', [SECRETS, { ...SECRETS, verbs: ['list'] }]),
  })
  throws(
    () => createEscalationCheck({ rbac, authorizer: rbac }).validate?.(request),
    (error) => {
      equal(
        (error as Error).message,
        'clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "reader" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      )
      return true
    },
  )
})
