import type { Api } from '../../src/api/api.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../src/api/kinds/rbac.ts'
import type { PolicyRule, Subject } from '../../src/api/kinds/rbac.ts'
import { SNAPSHOT_CONTROLLER_RIGHTS } from '../../src/controllers/snapshot/index.ts'
import { formatRules } from '../../src/kube/process/rights.ts'
import type { Rights } from '../../src/kube/process/rights.ts'

export type SidecarName =
  | 'csi-provisioner'
  | 'csi-attacher'
  | 'csi-resizer'
  | 'csi-snapshotter'
  | 'csi-external-health-monitor-controller'
  | 'snapshot-controller'

/** Where the sidecars run and have their leases. */
export const SIDECAR_NAMESPACE = 'default'

const READ = ['get', 'list', 'watch']
const GROUPS = { apiGroups: ['groupsnapshot.storage.k8s.io'] }
const LEASE_RULE: PolicyRule = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'watch', 'list', 'delete', 'update', 'create'],
}

/** What a role of ours says that it needs, with what the Go program of that name needs too. */
const declared = ({ cluster, ownNamespace, upstream }: Rights) => ({
  cluster: formatRules([...cluster, ...(upstream?.cluster ?? [])]),
  namespace: formatRules([...ownNamespace, ...(upstream?.ownNamespace ?? [])]),
})

/**
 * What manifests of drivers grant today, and no more: a sidecar that needs anything else is none to swap in. Nobody may update a
 * volume or patch a claim; the attacher may not write events; secrets, grants and attributes classes are left to those who need them.
 */
export const SIDECAR_RULES: Record<SidecarName, { cluster: readonly PolicyRule[]; namespace: readonly PolicyRule[] }> =
  {
    'csi-provisioner': {
      cluster: [
        { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...READ, 'create', 'patch', 'delete'] },
        { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...READ, 'update'] },
        { apiGroups: ['storage.k8s.io'], resources: ['storageclasses', 'csinodes', 'volumeattachments'], verbs: READ },
        { apiGroups: [''], resources: ['nodes'], verbs: READ },
        { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch', 'create', 'update', 'patch'] },
        { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshots'], verbs: [...READ, 'update'] },
        { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotcontents'], verbs: ['get', 'list'] },
      ],
      namespace: [
        LEASE_RULE,
        {
          apiGroups: ['storage.k8s.io'],
          resources: ['csistoragecapacities'],
          verbs: [...READ, 'create', 'update', 'patch', 'delete'],
        },
        { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['get'] },
      ],
    },
    'csi-attacher': {
      cluster: [
        { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...READ, 'patch'] },
        { apiGroups: ['storage.k8s.io'], resources: ['csinodes'], verbs: READ },
        { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: [...READ, 'patch'] },
        { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments/status'], verbs: ['patch'] },
      ],
      namespace: [LEASE_RULE],
    },
    'csi-resizer': {
      cluster: [
        { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...READ, 'patch'] },
        { apiGroups: [''], resources: ['persistentvolumeclaims', 'pods'], verbs: READ },
        { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch', 'create', 'update', 'patch'] },
        { apiGroups: ['storage.k8s.io'], resources: ['volumeattributesclasses'], verbs: READ },
      ],
      namespace: [LEASE_RULE],
    },
    'csi-snapshotter': {
      cluster: [
        { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch', 'create', 'update', 'patch'] },
        { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotclasses'], verbs: READ },
        {
          apiGroups: ['snapshot.storage.k8s.io'],
          resources: ['volumesnapshotcontents'],
          verbs: [...READ, 'update', 'patch'],
        },
        {
          apiGroups: ['snapshot.storage.k8s.io'],
          resources: ['volumesnapshotcontents/status'],
          verbs: ['update', 'patch'],
        },
        { ...GROUPS, resources: ['volumegroupsnapshotclasses'], verbs: READ },
        { ...GROUPS, resources: ['volumegroupsnapshotcontents'], verbs: [...READ, 'update', 'patch'] },
        { ...GROUPS, resources: ['volumegroupsnapshotcontents/status'], verbs: ['update', 'patch'] },
      ],
      namespace: [LEASE_RULE],
    },
    'csi-external-health-monitor-controller': {
      cluster: [
        { apiGroups: [''], resources: ['persistentvolumes', 'persistentvolumeclaims', 'nodes', 'pods'], verbs: READ },
        { apiGroups: [''], resources: ['events'], verbs: [...READ, 'create', 'patch'] },
      ],
      namespace: [LEASE_RULE],
    },
    'snapshot-controller': declared(SNAPSHOT_CONTROLLER_RIGHTS),
  }

/** Who a sidecar is to the server: a service account, known by a static token. */
export const sidecarUser = (account: string): { user: string; groups: readonly string[] } => ({
  user: `system:serviceaccount:${SIDECAR_NAMESPACE}:${account}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${SIDECAR_NAMESPACE}`, 'system:authenticated'],
})

/** Makes the roles, and gives them to the service accounts named for each. */
export async function grantSidecars(
  api: Api,
  accounts: Readonly<Partial<Record<SidecarName, readonly string[]>>>,
): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const apiGroup = 'rbac.authorization.k8s.io'
  for (const [sidecar, rules] of Object.entries(SIDECAR_RULES) as [
    SidecarName,
    (typeof SIDECAR_RULES)[SidecarName],
  ][]) {
    const subjects: Subject[] = (accounts[sidecar] ?? []).map((name) => ({
      kind: 'ServiceAccount',
      name,
      namespace: SIDECAR_NAMESPACE,
    }))
    const metadata = { name: `external-${sidecar}` }
    const local = { ...metadata, namespace: SIDECAR_NAMESPACE }
    await api.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata, rules: rules.cluster })
    await api.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      subjects,
      roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
    })
    await api.create(ROLES, { apiVersion, kind: 'Role', metadata: local, rules: rules.namespace })
    await api.create(ROLE_BINDINGS, {
      apiVersion,
      kind: 'RoleBinding',
      metadata: local,
      subjects,
      roleRef: { apiGroup, kind: 'Role', name: local.name },
    })
  }
}
