import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../api/kinds/rbac.ts'
import type { KubeObject } from '../../api/object.ts'
import type { User } from '../core/user.ts'
import { BOOTSTRAP_CLUSTER_ROLE_BINDINGS, BOOTSTRAP_CLUSTER_ROLES } from './bootstrap-roles.ts'
import { reasonOf } from './decision.ts'
import { createRbac } from './rbac.ts'
import type { Rbac } from './rbac.ts'
import { openStoreUnderTest, requestUnderTest } from './testing/store-under-test.ts'
import type { StoreUnderTest } from './testing/store-under-test.ts'

const GROUP = 'rbac.authorization.k8s.io'
const apiVersion = 'rbac.authorization.k8s.io/v1'
const clusterRole = (
  name: string,
  rules: PolicyRule[],
  more: { labels?: Record<string, string>; gathers?: Record<string, string> } = {},
): ClusterRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name, ...(more.labels ? { labels: more.labels } : {}) },
  rules,
  ...(more.gathers ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: more.gathers }] } } : {}),
})
const role = (namespace: string, name: string, rules: PolicyRule[]): Role => ({
  apiVersion,
  kind: 'Role',
  metadata: { namespace, name },
  rules,
})
const ref = (kind: RoleRef['kind'], name: string): RoleRef => ({ apiGroup: GROUP, kind, name })
const user = (name: string): Subject => ({ kind: 'User', name })
const group = (name: string): Subject => ({ kind: 'Group', name })
const account = (name: string, namespace?: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace ? { namespace } : {}),
})
const clusterBinding = (name: string, roleRef: RoleRef, ...subjects: Subject[]): ClusterRoleBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  subjects,
  roleRef,
})
const binding = (namespace: string, name: string, roleRef: RoleRef, ...subjects: Subject[]): RoleBinding => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { namespace, name },
  subjects,
  roleRef,
})

const alice: User = { name: 'alice', groups: ['team'] }
const robot: User = {
  name: 'system:serviceaccount:apps:robot',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:apps'],
}

const open = async (...objects: KubeObject[]): Promise<{ store: StoreUnderTest; rbac: Rbac }> => {
  const store = await openStoreUnderTest(...objects)
  const rbac = createRbac(store.visible)
  store.onChange(rbac.onChange)
  return { store, rbac }
}
const allows = (rbac: Rbac, who: User, request: string): boolean =>
  rbac.authorize(requestUnderTest(who, request)).kind === 'allow'

type Row = [behaviour: string, rule: PolicyRule, allowed: string[], refused: string[]]
const READ_PODS: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }

const RULES: Row[] = [
  [
    'verb, group and resource must all fit',
    READ_PODS,
    ['get pods apps/p', 'list pods', 'list pods apps/'],
    ['delete pods apps/p', 'get secrets apps/s', 'get pods.metrics.k8s.io apps/p'],
  ],
  [
    'a resource is not its sub-resources',
    READ_PODS,
    ['get pods apps/p'],
    ['get pods/log apps/p', 'get pods/status apps/p'],
  ],
  [
    'a sub-resource is named with its resource',
    { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] },
    ['get pods/log apps/p'],
    ['get pods apps/p', 'get services/log apps/s'],
  ],
  [
    'a star before a sub-resource is any resource',
    { verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] },
    ['update statefulsets.apps/scale apps/s', 'update things.example.com/scale apps/s'],
    ['update statefulsets.apps apps/s', 'update statefulsets.apps/status apps/s'],
  ],
  [
    'a star is every resource and sub-resource',
    { verbs: ['get'], apiGroups: [''], resources: ['*'] },
    ['get pods apps/p', 'get pods/log apps/p', 'get nodes n'],
    ['get pods.apps apps/p', 'get /version'],
  ],
  [
    'a star is every verb',
    { verbs: ['*'], apiGroups: [''], resources: ['pods'] },
    ['deletecollection pods apps/', 'frobnicate pods apps/p'],
    ['get nodes n'],
  ],
  [
    'names limit to those names',
    {
      verbs: ['get', 'update', 'create', 'list', 'watch'],
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: ['mine', 'ours'],
    },
    [
      'get leases.coordination.k8s.io apps/mine',
      'update leases.coordination.k8s.io apps/ours',
      'watch leases.coordination.k8s.io apps/mine',
    ],
    ['get leases.coordination.k8s.io apps/theirs'],
  ],
  [
    'names never fit a creation or a list, which have none',
    { verbs: ['create', 'list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] },
    [],
    ['create secrets apps/', 'list secrets apps/', 'list secrets'],
  ],
  [
    'paths fit as they are',
    { verbs: ['get'], nonResourceURLs: ['/healthz'] },
    ['get /healthz'],
    ['get /healthz/ping', 'post /healthz', 'get /', 'get pods apps/p'],
  ],
  [
    'a path that ends in a star is a prefix',
    { verbs: ['get'], nonResourceURLs: ['/apis/*'] },
    ['get /apis/apps/v1', 'get /apis/'],
    ['get /apis', 'get /api/v1'],
  ],
  [
    'a star alone is every path',
    { verbs: ['get'], nonResourceURLs: ['*'] },
    ['get /anything/at/all'],
    ['post /anything', 'get pods apps/p'],
  ],
  ['a rule without groups fits no resource', { verbs: ['*'], resources: ['*'] }, [], ['get pods apps/p']],
]
for (const [behaviour, rule, allowed, refused] of RULES) {
  test(`in a rule, ${behaviour}`, async () => {
    const { rbac } = await open(clusterRole('r', [rule]), clusterBinding('b', ref('ClusterRole', 'r'), user('alice')))
    for (const request of allowed) equal(allows(rbac, alice, request), true, request)
    for (const request of refused) equal(allows(rbac, alice, request), false, request)
  })
}

const SUBJECTS: [behaviour: string, subject: Subject, who: User, expected: boolean][] = [
  ['a user by name', user('alice'), alice, true],
  ['no other user', user('bob'), alice, false],
  ['a user by group', group('team'), alice, true],
  ['no group of the user’s name', group('alice'), alice, false],
  ['no user of the group’s name', user('team'), alice, false],
  ['an account by namespace and name', account('robot', 'apps'), robot, true],
  ['an account of the binding’s own namespace', account('robot'), robot, true],
  ['no account of another namespace', account('robot', 'other'), robot, false],
  ['an account by its user name', user('system:serviceaccount:apps:robot'), robot, true],
  ['an account by its groups', group('system:serviceaccounts:apps'), robot, true],
]
for (const [behaviour, subject, who, expected] of SUBJECTS) {
  test(`a binding fits ${behaviour}`, async () => {
    const { rbac } = await open(role('apps', 'r', [READ_PODS]), binding('apps', 'b', ref('Role', 'r'), subject))
    equal(allows(rbac, who, 'get pods apps/p'), expected)
  })
}

test('a role binding gives its rights in its namespace only, a role of the cluster included', async () => {
  const { rbac } = await open(
    clusterRole('r', [
      READ_PODS,
      { verbs: ['get'], apiGroups: [''], resources: ['nodes'] },
      { verbs: ['get'], nonResourceURLs: ['*'] },
    ]),
    binding('apps', 'b', ref('ClusterRole', 'r'), user('alice')),
  )
  equal(allows(rbac, alice, 'list pods apps/'), true)
  for (const request of ['list pods other/', 'list pods', 'get nodes n', 'get /version'])
    equal(allows(rbac, alice, request), false, request)
})

test('a binding of the cluster gives its rights everywhere', async () => {
  const { rbac } = await open(
    clusterRole('r', [READ_PODS]),
    clusterBinding('b', ref('ClusterRole', 'r'), group('team')),
  )
  for (const request of ['list pods apps/', 'list pods other/', 'list pods'])
    equal(allows(rbac, alice, request), true, request)
})

test('a binding of the cluster cannot give a role of a namespace', async () => {
  const { rbac } = await open(role('apps', 'r', [READ_PODS]), clusterBinding('b', ref('Role', 'r'), user('alice')))
  equal(allows(rbac, alice, 'get pods apps/p'), false)
})

test('rights come and go with bindings and roles', async () => {
  const { store, rbac } = await open()
  const ask = (): boolean => allows(rbac, alice, 'get pods apps/p')
  await store.put(binding('apps', 'b', ref('Role', 'r'), user('alice')))
  equal(ask(), false)
  await store.put(role('apps', 'r', [READ_PODS]))
  equal(ask(), true)
  await store.put(role('apps', 'r', []))
  equal(ask(), false)
  await store.put(role('apps', 'r', [READ_PODS]), binding('apps', 'b', ref('Role', 'r'), user('bob')))
  equal(ask(), false)
  await store.put(binding('apps', 'b', ref('Role', 'r'), user('bob'), group('team')))
  equal(ask(), true)
  await store.remove(binding('apps', 'b', ref('Role', 'r')))
  equal(ask(), false)
})

test('a subject of two bindings keeps what the other gives', async () => {
  const { store, rbac } = await open(
    role('apps', 'r', [READ_PODS]),
    binding('apps', 'b1', ref('Role', 'r'), user('alice')),
    binding('apps', 'b2', ref('Role', 'r'), user('alice')),
  )
  await store.remove(binding('apps', 'b1', ref('Role', 'r')))
  equal(allows(rbac, alice, 'get pods apps/p'), true)
})

test('a role that gathers others has their rules, as those are now', async () => {
  const labels = { 'to-r': 'yes' }
  const { store, rbac } = await open(
    clusterRole('r', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], { gathers: labels }),
    clusterRole('part', [READ_PODS], { labels }),
    clusterBinding('b', ref('ClusterRole', 'r'), user('alice')),
  )
  equal(allows(rbac, alice, 'get pods apps/p'), true)
  equal(allows(rbac, alice, 'get secrets apps/s'), false, 'what it says itself does not count')
  await store.put(clusterRole('late', [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }], { labels }))
  equal(allows(rbac, alice, 'get secrets apps/s'), true)
  await store.put(clusterRole('part', [READ_PODS]))
  equal(allows(rbac, alice, 'get pods apps/p'), false)
})

test('roles that gather each other end, and have all there is', async () => {
  const { rbac } = await open(
    clusterRole('one', [], { gathers: { a: '1' }, labels: { b: '1' } }),
    clusterRole('two', [], { gathers: { b: '1' }, labels: { a: '1' } }),
    clusterRole('part', [READ_PODS], { labels: { b: '1' } }),
    clusterBinding('b', ref('ClusterRole', 'one'), user('alice')),
  )
  equal(allows(rbac, alice, 'get pods apps/p'), true)
})

test('an allowed request says by which binding', async () => {
  const { rbac } = await open(
    clusterRole('r', [READ_PODS]),
    role('apps', 'n', [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]),
    clusterBinding('wide', ref('ClusterRole', 'r'), group('team')),
    binding('apps', 'narrow', ref('Role', 'n'), account('robot')),
  )
  equal(
    reasonOf(rbac.authorize(requestUnderTest(alice, 'get pods apps/p'))),
    'RBAC: allowed by ClusterRoleBinding "wide" of ClusterRole "r" to Group "team"',
  )
  equal(
    reasonOf(rbac.authorize(requestUnderTest(robot, 'get secrets apps/s'))),
    'RBAC: allowed by RoleBinding "narrow/apps" of Role "n" to ServiceAccount "robot/apps"',
  )
})

test('a refused request names the roles that are bound and missing', async () => {
  const { rbac } = await open(clusterBinding('b', ref('ClusterRole', 'gone'), user('alice')))
  equal(
    reasonOf(rbac.authorize(requestUnderTest(alice, 'get pods apps/p'))),
    'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  )
})

test('the rules of a user are those of the cluster and of the namespace, each once', async () => {
  const secrets: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
  const { rbac } = await open(
    clusterRole('r', [READ_PODS]),
    role('apps', 'n', [secrets]),
    clusterBinding('wide', ref('ClusterRole', 'r'), group('team'), user('alice')),
    binding('apps', 'narrow', ref('Role', 'n'), user('alice')),
  )
  deepEqual(rbac.rulesFor(alice, 'apps'), { rules: [READ_PODS, secrets], incomplete: false })
  deepEqual(rbac.rulesFor(alice, 'other').rules, [READ_PODS])
})

const BOOTSTRAP: [who: User, allowed: string[], refused: string[]][] = [
  [
    { name: 'anybody', groups: ['system:authenticated'] },
    [
      'get /api',
      'get /apis/apps/v1',
      'get /openapi/v3',
      'get /version',
      'create selfsubjectaccessreviews.authorization.k8s.io',
      'create selfsubjectreviews.authentication.k8s.io',
    ],
    ['get /metrics', 'list pods', 'create subjectaccessreviews.authorization.k8s.io'],
  ],
  [
    { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    ['get /healthz', 'get /livez', 'get /readyz', 'get /version'],
    ['get /api', 'get /healthz/ping', 'create selfsubjectreviews.authentication.k8s.io'],
  ],
  [
    { name: 'root', groups: ['system:masters'] },
    ['delete nodes n', 'escalate clusterroles.rbac.authorization.k8s.io r', 'post /anything'],
    [],
  ],
  [
    { name: 'system:kube-scheduler', groups: [] },
    [
      'create pods/binding apps/p',
      'update persistentvolumeclaims apps/c',
      'list csistoragecapacities.storage.k8s.io',
      'get leases.coordination.k8s.io kube-system/kube-scheduler',
    ],
    ['update leases.coordination.k8s.io kube-system/other', 'get secrets apps/s'],
  ],
  [
    { name: 'system:kube-controller-manager', groups: [] },
    ['watch things.example.com', 'create serviceaccounts/token kube-system/a'],
    ['delete pods apps/p'],
  ],
  [robot, ['get /openid/v1/jwks', 'get /.well-known/openid-configuration'], ['get pods apps/p']],
  [{ name: 'system:node:n1', groups: ['system:nodes'] }, [], ['get nodes n1', 'list pods']],
]
for (const [who, allowed, refused] of BOOTSTRAP) {
  test(`a new cluster gives ${who.name} what it needs and no more`, async () => {
    const { rbac } = await open(...BOOTSTRAP_CLUSTER_ROLES, ...BOOTSTRAP_CLUSTER_ROLE_BINDINGS)
    for (const request of allowed) equal(allows(rbac, who, request), true, request)
    for (const request of refused) equal(allows(rbac, who, request), false, request)
  })
}

test('S3-16: the role of provisioners may read which drivers a node has registered, and change nothing of it', async () => {
  const role = 'system:persistent-volume-provisioner'
  const { rbac } = await open(
    ...BOOTSTRAP_CLUSTER_ROLES,
    clusterBinding('maker', ref('ClusterRole', role), user('maker')),
  )
  const may = (request: string): boolean => allows(rbac, { name: 'maker', groups: [] }, request)
  deepEqual(
    [
      'get csinodeinfos.csi.storage.k8s.io n1',
      'list csinodeinfos.csi.storage.k8s.io',
      'watch csinodeinfos.csi.storage.k8s.io',
    ].filter((request) => !may(request)),
    [],
  )
  equal(may('update csinodeinfos.csi.storage.k8s.io n1'), false)
})

test('admin, edit and view build on one another', async () => {
  const roles = ['admin', 'edit', 'view']
  const { rbac } = await open(
    ...BOOTSTRAP_CLUSTER_ROLES,
    ...roles.map((name) => binding('apps', name, ref('ClusterRole', name), user(name))),
  )
  const who = (request: string): string[] => roles.filter((name) => allows(rbac, { name, groups: [] }, request))
  deepEqual(who('list persistentvolumeclaims apps/'), ['admin', 'edit', 'view'])
  deepEqual(who('list volumesnapshots.snapshot.storage.k8s.io apps/'), ['admin', 'edit', 'view'])
  deepEqual(who('create persistentvolumeclaims apps/'), ['admin', 'edit'])
  deepEqual(who('get secrets apps/s'), ['admin', 'edit'])
  deepEqual(who('list deployments.apps apps/'), ['admin', 'edit', 'view'])
  deepEqual(who('patch deployments.apps/scale apps/d'), ['admin', 'edit'])
  deepEqual(who('create jobs.batch apps/'), ['admin', 'edit'])
  deepEqual(who('update deployments.apps/status apps/d'), [])
  deepEqual(who('create rolebindings.rbac.authorization.k8s.io apps/'), ['admin'])
  deepEqual(who('update persistentvolumeclaims/status apps/c'), [])
  deepEqual(who('list persistentvolumes'), [])
})

test('every binding of a new cluster has its role', () => {
  const names = new Set(BOOTSTRAP_CLUSTER_ROLES.map(({ metadata }) => metadata.name))
  deepEqual(
    BOOTSTRAP_CLUSTER_ROLE_BINDINGS.filter(({ roleRef }) => !names.has(roleRef.name)),
    [],
  )
  equal(names.size, BOOTSTRAP_CLUSTER_ROLES.length)
})
