import type { Api } from '../api/api.ts'
import { ignoreNotFound, isAlreadyExists } from '../api/api-error.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../api/kinds/rbac.ts'
import type { ClusterRole, ClusterRoleBinding } from '../api/kinds/rbac.ts'

const RBAC = 'rbac.authorization.k8s.io'
const metadata = { name: 'holdfast:node-csidriver-creator', labels: { 'app.kubernetes.io/managed-by': 'holdfast' } }

/** The objects that let nodes create CSIDrivers; examples/node/create-csidrivers.yaml has the same for other clusters. */
export const CSI_DRIVER_CREATOR: { readonly role: ClusterRole; readonly binding: ClusterRoleBinding } = {
  role: {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata,
    rules: [{ apiGroups: ['storage.k8s.io'], resources: ['csidrivers'], verbs: ['create'] }],
  },
  binding: {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: metadata.name },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: 'system:nodes' }],
  },
}

/** Lets the nodes of a cluster create CSIDrivers, or revokes the permission that an earlier start with the flag granted. */
export async function allowNodesToCreateCsiDrivers(api: Api, isAllowed: boolean): Promise<void> {
  const { role, binding } = CSI_DRIVER_CREATOR
  if (isAllowed) {
    await api.create(CLUSTER_ROLES, role).catch(ignoreExisting)
    await api.create(CLUSTER_ROLE_BINDINGS, binding).catch(ignoreExisting)
    return
  }
  await api.delete(CLUSTER_ROLE_BINDINGS, { name: metadata.name }).catch(ignoreNotFound)
  await api.delete(CLUSTER_ROLES, { name: metadata.name }).catch(ignoreNotFound)
}

function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
