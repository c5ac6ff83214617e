import type { Api } from '../../api/api.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../api/kinds/rbac.ts'
import type { ClusterRole } from '../../api/kinds/rbac.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1` as const

/** Lets the user of this name do what the rules say, in the whole cluster. */
export async function grantRules(api: Api, name: string, rules: ClusterRole['rules']): Promise<void> {
  await api.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules })
  const [roleRef, subjects] = [{ apiGroup, kind: 'ClusterRole', name }, [{ kind: 'User', apiGroup, name }]] as const
  await api.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef,
    subjects,
  })
}
