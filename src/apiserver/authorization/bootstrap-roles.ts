import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '../../api/kinds/rbac.ts'

const API_VERSION = 'rbac.authorization.k8s.io/v1'
const RBAC_GROUP = 'rbac.authorization.k8s.io'
const STORAGE_GROUP = 'storage.k8s.io'
const ALPHA_GROUP = 'csi.storage.k8s.io'
const SNAPSHOT_GROUPS = ['snapshot.storage.k8s.io', 'groupsnapshot.storage.k8s.io']
const SNAPSHOTS = ['volumesnapshots', 'volumegroupsnapshots']

const READ = ['get', 'list', 'watch']
const READ_UPDATE = [...READ, 'update', 'patch']
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection']
const READ_WRITE = [...READ, ...WRITE]
const OWN_OBJECT = ['get', 'create', 'update', 'patch', 'delete']

const on = (verbs: readonly string[], groups: string | readonly string[], ...resources: string[]): PolicyRule => ({
  verbs,
  apiGroups: typeof groups === 'string' ? [groups] : groups,
  resources,
})
const named = (rule: PolicyRule, ...resourceNames: string[]): PolicyRule => ({ ...rule, resourceNames })
const paths = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs })

const EVENTS_RULE = on(['create', 'update', 'patch'], ['', 'events.k8s.io'], 'events')
const REVIEW_RULES = [
  on(['create'], 'authentication.k8s.io', 'tokenreviews'),
  on(['create'], 'authorization.k8s.io', 'subjectaccessreviews'),
]

const HEALTH = ['/livez', '/readyz', '/healthz']
const VERSION = ['/version', '/version/']

/**
 * The permissions of every node. The node authorizer restricts most of them to objects related to the node, and admission restricts the writes; the
 * alpha kinds are treated like their successors.
 */
export const NODE_RULES: readonly PolicyRule[] = [
  on(['create'], 'authentication.k8s.io', 'tokenreviews'),
  on(['create'], 'authorization.k8s.io', 'subjectaccessreviews', 'localsubjectaccessreviews'),
  on(READ, '', 'services'),
  on(['create', ...READ], '', 'nodes'),
  on(['update', 'patch'], '', 'nodes', 'nodes/status'),
  EVENTS_RULE,
  on([...READ, 'create', 'delete'], '', 'pods'),
  on(['update', 'patch'], '', 'pods/status'),
  on(['create'], '', 'pods/eviction'),
  on(READ, '', 'secrets', 'configmaps'),
  on(['get'], '', 'persistentvolumeclaims', 'persistentvolumes', 'serviceaccounts'),
  on(['get', 'update', 'patch'], '', 'persistentvolumeclaims/status'),
  on(['create'], '', 'serviceaccounts/token'),
  on(OWN_OBJECT, 'coordination.k8s.io', 'leases'),
  on(['get'], STORAGE_GROUP, 'volumeattachments'),
  on(READ, STORAGE_GROUP, 'csidrivers'),
  on(OWN_OBJECT, STORAGE_GROUP, 'csinodes'),
  on(READ, ALPHA_GROUP, 'csidrivers'),
  on(OWN_OBJECT, ALPHA_GROUP, 'csinodeinfos'),
  on(READ, 'node.k8s.io', 'runtimeclasses'),
]

const withSubresources = (plural: string): string[] => [plural, `${plural}/scale`, `${plural}/status`]

const VIEW_RULES: readonly PolicyRule[] = [
  on(
    READ,
    '',
    'configmaps',
    'persistentvolumeclaims',
    'persistentvolumeclaims/status',
    'pods',
    'pods/log',
    'pods/status',
  ),
  on(READ, '', 'bindings', 'namespaces', 'namespaces/status', 'serviceaccounts', 'services', 'services/status'),
  on(READ, ['', 'events.k8s.io'], 'events'),
  on(READ, '', 'endpoints', 'limitranges', 'replicationcontrollers', 'replicationcontrollers/scale'),
  on(READ, '', 'replicationcontrollers/status', 'resourcequotas', 'resourcequotas/status'),
  on(READ, 'apps', 'controllerrevisions', 'daemonsets', 'daemonsets/status'),
  on(READ, 'apps', ...withSubresources('deployments'), ...withSubresources('replicasets')),
  on(READ, 'apps', ...withSubresources('statefulsets')),
  on(READ, 'batch', 'cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'),
  on(READ, 'discovery.k8s.io', 'endpointslices'),
  on(READ, 'policy', 'poddisruptionbudgets', 'poddisruptionbudgets/status'),
]

const EDIT_RULES: readonly PolicyRule[] = [
  on(READ, '', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'),
  on(['impersonate'], '', 'serviceaccounts'),
  on(WRITE, '', 'pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'),
  on(['create'], '', 'pods/eviction', 'serviceaccounts/token'),
  on(WRITE, '', 'configmaps', 'persistentvolumeclaims', 'secrets', 'serviceaccounts', 'services', 'services/proxy'),
  on(WRITE, ['', 'events.k8s.io'], 'events'),
  on(WRITE, '', 'replicationcontrollers', 'replicationcontrollers/scale'),
  on(WRITE, 'apps', 'daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale'),
  on(WRITE, 'apps', 'statefulsets', 'statefulsets/scale'),
  on(WRITE, 'batch', 'cronjobs', 'jobs'),
  on(WRITE, 'policy', 'poddisruptionbudgets'),
  on(READ_WRITE, 'coordination.k8s.io', 'leases'),
]

const ADMIN_RULES: readonly PolicyRule[] = [
  on(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
  on(READ_WRITE, RBAC_GROUP, 'rolebindings', 'roles'),
]

const SCHEDULER_RULES: readonly PolicyRule[] = [
  EVENTS_RULE,
  on(['create'], 'coordination.k8s.io', 'leases'),
  named(on(['get', 'update', 'list', 'watch'], 'coordination.k8s.io', 'leases'), 'kube-scheduler'),
  on(READ_WRITE, 'coordination.k8s.io', 'leasecandidates'),
  on(
    READ,
    '',
    'namespaces',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'replicationcontrollers',
    'services',
  ),
  on([...READ, 'delete'], '', 'pods'),
  on(['create'], '', 'bindings', 'pods/binding'),
  on(['patch', 'update'], '', 'pods/status'),
  on(READ, ['apps', 'extensions'], 'replicasets'),
  on(READ, 'apps', 'statefulsets'),
  on(READ, 'policy', 'poddisruptionbudgets'),
  ...REVIEW_RULES,
  on(READ, STORAGE_GROUP, 'csidrivers', 'csinodes', 'csistoragecapacities', 'volumeattachments'),
  on(READ, 'resource.k8s.io', 'deviceclasses', 'resourceslices'),
  on(READ_UPDATE, 'resource.k8s.io', 'resourceclaims', 'resourceclaims/status'),
]

const CONTROLLER_MANAGER_RULES: readonly PolicyRule[] = [
  EVENTS_RULE,
  on(['create'], 'coordination.k8s.io', 'leases'),
  named(on(['get', 'update'], 'coordination.k8s.io', 'leases'), 'kube-controller-manager'),
  on(['create', 'get', 'update'], '', 'secrets', 'serviceaccounts'),
  on(['delete'], '', 'secrets'),
  on(['get'], '', 'configmaps', 'namespaces'),
  ...REVIEW_RULES,
  on(['list', 'watch'], '*', '*'),
  on(['create'], '', 'serviceaccounts/token'),
]

const PROVISIONER_RULES: readonly PolicyRule[] = [
  on([...READ, 'create', 'delete'], '', 'persistentvolumes'),
  on([...READ, 'update'], '', 'persistentvolumeclaims'),
  on(READ, STORAGE_GROUP, 'storageclasses'),
  on(READ, ALPHA_GROUP, 'csinodeinfos'),
  on(['watch'], '', 'events'),
  EVENTS_RULE,
]

const VOLUME_SCHEDULER_RULES: readonly PolicyRule[] = [
  on(READ_UPDATE, '', 'persistentvolumeclaims', 'persistentvolumes'),
  on(READ, STORAGE_GROUP, 'storageclasses'),
]

const DEFAULT_LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const DEFAULT_ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }

const AGGREGATE = (target: Target): Readonly<Record<string, string>> => ({
  [`${RBAC_GROUP}/aggregate-to-${target}`]: 'true',
})

type Target = 'admin' | 'edit' | 'view'
type More = { readonly labels?: Readonly<Record<string, string>>; readonly gathers?: Target }

const role = (name: string, rules: readonly PolicyRule[] | null, more: More = {}): ClusterRole => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRole',
  metadata: { name, labels: { ...DEFAULT_LABELS, ...more.labels }, annotations: DEFAULT_ANNOTATIONS },
  ...(more.gathers ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: AGGREGATE(more.gathers) }] } } : {}),
  rules,
})

/** Roles that every cluster has when it starts. */
export const BOOTSTRAP_CLUSTER_ROLES: readonly ClusterRole[] = [
  role('cluster-admin', [on(['*'], '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }]),
  role('system:discovery', [
    paths(...HEALTH, ...VERSION, '/openapi', '/openapi/*', '/api', '/api/*', '/apis', '/apis/*'),
  ]),
  role('system:monitoring', [
    paths('/metrics', '/metrics/slis', ...HEALTH, ...HEALTH.map((path) => `${path}/*`)),
    on(['get'], '', 'nodes/metrics'),
  ]),
  role('system:basic-user', [
    on(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
    on(['create'], 'authentication.k8s.io', 'selfsubjectreviews'),
  ]),
  role('system:public-info-viewer', [paths(...HEALTH, ...VERSION)]),
  role('admin', null, { gathers: 'admin' }),
  role('edit', null, { gathers: 'edit', labels: AGGREGATE('admin') }),
  role('view', null, { gathers: 'view', labels: AGGREGATE('edit') }),
  role('system:aggregate-to-admin', ADMIN_RULES, { labels: AGGREGATE('admin') }),
  role('system:aggregate-to-edit', EDIT_RULES, { labels: AGGREGATE('edit') }),
  role('system:aggregate-to-view', VIEW_RULES, { labels: AGGREGATE('view') }),
  // Users who may create claims may also create snapshots of them.
  role('system:aggregate-snapshots-to-edit', [on(WRITE, SNAPSHOT_GROUPS, ...SNAPSHOTS)], { labels: AGGREGATE('edit') }),
  role('system:aggregate-snapshots-to-view', [on(READ, SNAPSHOT_GROUPS, ...SNAPSHOTS)], { labels: AGGREGATE('view') }),
  role('system:auth-delegator', REVIEW_RULES),
  role('system:node', NODE_RULES),
  role('system:kube-scheduler', SCHEDULER_RULES),
  role('system:volume-scheduler', VOLUME_SCHEDULER_RULES),
  role('system:kube-controller-manager', CONTROLLER_MANAGER_RULES),
  role('system:persistent-volume-provisioner', PROVISIONER_RULES),
  role('system:service-account-issuer-discovery', [
    paths(
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/',
      '/openid/v1/jwks',
      '/openid/v1/jwks/',
    ),
  ]),
]

const binding = (name: string, ...subjects: Subject[]): ClusterRoleBinding => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRoleBinding',
  metadata: { name, labels: DEFAULT_LABELS, annotations: DEFAULT_ANNOTATIONS },
  ...(subjects.length === 0 ? {} : { subjects }),
  roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
})
const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name })
const user = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name })

/** The subjects of those roles in a new cluster. Each binding has the name of its role. */
export const BOOTSTRAP_CLUSTER_ROLE_BINDINGS: readonly ClusterRoleBinding[] = [
  binding('cluster-admin', group('system:masters')),
  binding('system:monitoring', group('system:monitoring')),
  binding('system:discovery', group('system:authenticated')),
  binding('system:basic-user', group('system:authenticated')),
  binding('system:public-info-viewer', group('system:authenticated'), group('system:unauthenticated')),
  binding('system:kube-controller-manager', user('system:kube-controller-manager')),
  binding('system:kube-scheduler', user('system:kube-scheduler')),
  binding('system:volume-scheduler', user('system:kube-scheduler')),
  // No subjects: nodes get their permissions from the node authorizer, which knows what concerns them.
  binding('system:node'),
  binding('system:service-account-issuer-discovery', group('system:serviceaccounts')),
]
